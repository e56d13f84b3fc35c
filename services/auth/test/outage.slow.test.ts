import { credentials, Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuthServiceClient } from '@junction/contracts';
import {
  type BreakableRoad,
  breakableRoad,
  eventually,
  useBroker,
  useDatabase,
} from '@junction/testing';
import { askOf, logIn, newCredentials, type Person, signUp } from './http-client.js';
import { authSchema } from './schema.js';
import { type StartedAuth, startAuth } from './started-auth.js';

const database = useDatabase(authSchema);
const broker = useBroker();
let road: BreakableRoad;
let auth: StartedAuth;
let person: Person;
let key: string;
beforeAll(async () => {
  road = await breakableRoad(database().url);
  auth = await startAuth({ ...database(), url: road.url }, broker);
  person = await signUp(ask);
  const call = { token: person.accessToken, json: { name: 'laptop' } };
  ({ key } = (await ask('POST', '/api/auth/api-keys', call)).body as { key: string });
});
afterAll(async () => {
  await auth.dispose();
  await road.break();
});

const ask = askOf(() => auth.url);

describe('without Postgres', () => {
  it('every request that needs it is told to come back, and those that do not are served', async () => {
    const serviceToken = await tokenFor('auth');
    await road.break();
    const { accessToken: token } = person;
    const answers = {
      'a wrong client secret': await askForToken('auth', 'guess'),
      register: await ask('POST', '/api/auth/register', { json: newCredentials() }),
      login: await ask('POST', '/api/auth/login', {
        json: { email: person.email, password: person.password },
      }),
      refresh: await ask('POST', '/api/auth/refresh', {
        json: { refresh_token: person.refreshToken },
      }),
      logout: await ask('POST', '/api/auth/logout', { token, json: {} }),
      me: await ask('GET', '/api/auth/me', { token }),
      'me, by key': await ask('GET', '/api/auth/me', { token: key }),
      'the end of me': await ask('DELETE', '/api/auth/me', { token }),
      'my keys': await ask('GET', '/api/auth/api-keys', { token }),
      'a new key': await ask('POST', '/api/auth/api-keys', { token, json: { name: 'x' } }),
      'the end of a key': await ask('DELETE', '/api/auth/api-keys/key_1', { token }),
    };
    for (const [name, { status, headers, body }] of Object.entries(answers)) {
      expect([name, status, body]).toEqual([name, 503, expect.objectContaining({ status: 503 })]);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await expect(authenticate(key, serviceToken)).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
    expect((await ask('GET', '/internal/health/ready')).body).toEqual({
      status: 'not_ready',
      failing: ['postgres'],
    });
    expect((await ask('GET', '/internal/health/live')).status).toBe(200);
    expect((await ask('GET', '/.well-known/jwks.json')).status).toBe(200);
    await expect(tokenFor('auth')).resolves.toEqual(expect.any(String));
    expect(auth.logs()).toMatch(/"msg":"request could not be served"/);
    expect(auth.logs()).toMatch(/"code":"ECONNREFUSED"/);
    expect(auth.logs()).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('the service stays, and serves again when Postgres is back', async () => {
    await road.mend();
    await eventually(async () => {
      expect((await ask('GET', '/internal/health/ready')).status).toBe(200);
    });
    await expect(logIn(ask, person)).resolves.toBeDefined();
    await expect(signUp(ask)).resolves.toBeDefined();
    expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(200);
    await expect(authenticate(key, await tokenFor('auth'))).resolves.toMatchObject({
      userId: person.id,
    });
  });

  it('that loses its connections only, nobody notices for long', async () => {
    await database().pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'auth' and datname = current_database()`,
    );
    await eventually(async () => {
      expect((await ask('GET', '/api/auth/me', { token: person.accessToken })).status).toBe(200);
    });
    expect(auth.logs()).not.toMatch(/"status":500/);
  });
});

async function tokenFor(audience: string): Promise<string> {
  const { body } = await askForToken(audience, auth.verifier.secret);
  return (body as { access_token: string }).access_token;
}

const askForToken = async (audience: string, secret: string) =>
  ask('POST', '/oauth/token', {
    text: new URLSearchParams({ grant_type: 'client_credentials', audience }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${auth.verifier.id}:${secret}`)}`,
    },
  });

async function authenticate(apiKey: string, token: string): Promise<unknown> {
  const client = new AuthServiceClient(auth.grpcAddress, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  try {
    return await new Promise((resolve, reject) => {
      const deadline = Date.now() + 5_000;
      client.authenticate({ apiKey }, metadata, { deadline }, (error, response) =>
        error ? reject(error) : resolve(response),
      );
    });
  } finally {
    client.close();
  }
}
