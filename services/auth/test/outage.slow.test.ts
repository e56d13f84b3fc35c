import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { type Authenticator, authenticator } from './authenticator.js';
import {
  askForToken,
  logIn,
  newCredentials,
  type Person,
  signUp,
  tokenFor,
} from './http-client.js';
import { useAuth } from './started-auth.js';

const GRANT = { grant_type: 'client_credentials', audience: 'auth' };

const { auth, ask, database, road } = useAuth();
let grpc: Authenticator;
let person: Person;
let key: string;
beforeAll(async () => {
  grpc = authenticator(auth().grpcAddress);
  person = await signUp(ask);
  const call = { token: person.accessToken, json: { name: 'laptop' } };
  ({ key } = (await ask('POST', '/api/auth/api-keys', call)).body as { key: string });
});
afterAll(() => grpc.close());

describe('without Postgres', () => {
  it('every request that needs it is told to come back, and those that do not are served', async () => {
    const serviceToken = await tokenFor(ask, auth().verifier, 'auth');
    await road().break();
    const { accessToken: token } = person;
    const answers = {
      'a wrong client secret': await askForToken(
        ask,
        { ...auth().verifier, secret: 'guess' },
        GRANT,
      ),
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
    await expect(grpc.authenticate(key, serviceToken)).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
    expect((await ask('GET', '/internal/health/ready')).body).toEqual({
      status: 'not_ready',
      failing: ['postgres'],
    });
    expect((await ask('GET', '/internal/health/live')).status).toBe(200);
    expect((await ask('GET', '/.well-known/jwks.json')).status).toBe(200);
    await expect(tokenFor(ask, auth().verifier, 'auth')).resolves.toEqual(expect.any(String));
    expect(auth().logs()).toMatch(/"msg":"request could not be served"/);
    expect(auth().logs()).toMatch(/"code":"ECONNREFUSED"/);
    expect(auth().logs()).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('the service stays, and serves again when Postgres is back', async () => {
    await road().mend();
    await eventually(async () => {
      expect((await ask('GET', '/internal/health/ready')).status).toBe(200);
    });
    await expect(logIn(ask, person)).resolves.toBeDefined();
    await expect(signUp(ask)).resolves.toBeDefined();
    expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(200);
    await expect(
      grpc.authenticate(key, await tokenFor(ask, auth().verifier, 'auth')),
    ).resolves.toMatchObject({
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
    expect(auth().logs()).not.toMatch(/"status":500/);
  });
});
