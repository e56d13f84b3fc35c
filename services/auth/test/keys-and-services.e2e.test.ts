import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AuthenticateResponse, AuthServiceClient } from '@junction/contracts';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { decodeJwt } from 'jose';
import { askOf, signUp } from './http-client.js';
import { authSchema } from './schema.js';
import { type Client, PUBLIC_URL, type StartedAuth, startAuth } from './started-auth.js';

const database = useDatabase(authSchema);
const broker = useBroker();
let auth: StartedAuth;
let grpc: AuthServiceClient;
beforeAll(async () => {
  auth = await startAuth(database(), broker);
  grpc = new AuthServiceClient(auth.grpcAddress, credentials.createInsecure());
});
afterAll(async () => {
  grpc.close();
  await auth.dispose();
});

const ask = askOf(() => auth.url);

describe('an API key', () => {
  it('is shown once, listed without its secret, and opens the API for its owner', async () => {
    const { id: userId, accessToken: token } = await signUp(ask);
    const {
      status: created,
      body,
      headers,
    } = await ask('POST', '/api/auth/api-keys', {
      token,
      json: { name: ' laptop ' },
    });
    expect(created).toBe(201);
    const { key, ...rest } = body as { key: string; id: string };
    expect(key).toMatch(/^jn_live_[0-9a-f]{32}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(rest).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'laptop',
      scopes: ['api'],
      created_at: expect.any(String),
      expires_at: null,
      previous_valid_until: null,
      last_used_at: null,
    });

    const list = await ask('GET', '/api/auth/api-keys', { token });
    expect(list.body).toEqual({ items: [rest], next_cursor: null });
    const one = headers.get('location') ?? 'missing';
    expect((await ask('GET', one, { token })).body).toEqual(rest);
    const { accessToken: stranger } = await signUp(ask);
    expect(await ask('GET', one, { token: stranger })).toMatchObject({
      status: 404,
      body: { code: 'api_key_not_found' },
    });
    expect((await ask('GET', '/api/auth/me', { token: key })).body).toMatchObject({
      user: { id: userId },
    });
  });

  it('is rotated: two secrets count until the overlap is over, and both are of the same key', async () => {
    const { accessToken: token } = await signUp(ask);
    const made = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'ci' } });
    const { id, key: first } = made.body as { id: string; key: string };
    const url = `/api/auth/api-keys/${id}/rotate`;
    const { status, body } = await ask('POST', url, { token, json: {} });
    expect(status).toBe(200);
    const { key: second, ...view } = body as { key: string; previous_valid_until: string };
    expect(view).toMatchObject({ id, name: 'ci', scopes: ['api'] });
    const leftMs = new Date(view.previous_valid_until).getTime() - Date.now();
    expect(leftMs).toBeGreaterThan(23 * 3_600_000);
    for (const key of [first, second]) {
      expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(200);
    }
    expect((await ask('POST', url, { token, json: { overlap_s: 0 } })).status).toBe(200);
    for (const key of [first, second]) {
      expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(401);
    }
    for (const overlap_s of [-1, 1, 59, 604_801, 60.5, '60']) {
      expect((await ask('POST', url, { token, json: { overlap_s } })).status).toBe(400);
    }
    expect((await ask('POST', url, { token: second, json: {} })).status).toBe(401);
    const { accessToken: stranger } = await signUp(ask);
    expect((await ask('POST', url, { token: stranger, json: {} })).status).toBe(404);
  });

  it('is known to the other services through gRPC, until it is revoked', async () => {
    const { id: userId, accessToken: token } = await signUp(ask);
    const { key, id } = await newKey(token);
    const serviceToken = await tokenFor(auth.verifier, 'auth');

    await expect(authenticate(key, serviceToken)).resolves.toEqual({
      userId,
      keyId: id,
      scopes: ['api'],
      validUntil: undefined,
      secretVersion: 1,
    });
    for (const twice of [1, 2]) {
      const { status } = await ask('DELETE', `/api/auth/api-keys/${id}`, { token });
      expect([twice, status]).toEqual([twice, 204]);
    }
    await expect(authenticate(key, serviceToken)).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
    });
    expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(401);
  });

  it('dies with its user', async () => {
    const { accessToken: token, password } = await signUp(ask);
    const { key } = await newKey(token);
    await ask('DELETE', '/api/auth/me', { token, json: { password } });
    const serviceToken = await tokenFor(auth.verifier, 'auth');
    await expect(authenticate(key, serviceToken)).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
    });
  });

  it('of somebody else does not exist', async () => {
    const [mine, theirs] = [await signUp(ask), await signUp(ask)];
    const { id, key } = await newKey(theirs.accessToken);
    const end = async (path: string) =>
      ask('DELETE', `/api/auth/api-keys/${path}`, { token: mine.accessToken });
    for (const path of [id, 'key_nothing', id.toUpperCase()]) {
      expect([path, (await end(path)).status]).toEqual([path, 404]);
    }
    expect((await end('%00')).status).toBe(400);
    expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(200);
  });

  it('may neither make keys nor end the account', async () => {
    const { accessToken: token } = await signUp(ask);
    const { key, id } = await newKey(token);
    const answers = [
      await ask('POST', '/api/auth/api-keys', { token: key, json: { name: 'more' } }),
      await ask('DELETE', `/api/auth/api-keys/${id}`, { token: key }),
      await ask('DELETE', '/api/auth/me', { token: key }),
      await ask('POST', '/api/auth/logout', { token: key }),
    ];
    for (const { status, body } of answers) {
      expect([status, (body as { code: string }).code]).toEqual([403, 'session_required']);
    }
  });

  it('may do what its scopes allow, and is told what it lacks', async () => {
    const { accessToken: token } = await signUp(ask);
    const scoped = async (scopes: readonly string[]) => {
      const json = { name: 'scoped', scopes };
      const { body } = await ask('POST', '/api/auth/api-keys', { token, json });
      expect(body).toMatchObject({ scopes });
      return (body as { key: string }).key;
    };
    const reader = await scoped(['account:read']);
    expect((await ask('GET', '/api/auth/me', { token: reader })).status).toBe(200);
    const ended = await ask('DELETE', '/api/auth/me', { token: reader });
    expect(ended).toMatchObject({ status: 403, body: { code: 'session_required' } });
    const other = await scoped(['webhooks:read', 'webhooks:write']);
    const refused = await ask('GET', '/api/auth/me', { token: other });
    expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer realm="junction", error="insufficient_scope", scope="account:read"',
    );
  });

  it("is nobody's once it has expired", async () => {
    const { accessToken: token } = await signUp(ask);
    const expiresAt = new Date(Date.now() + 3_000).toISOString();
    const json = { name: 'short', expires_at: expiresAt };
    const { body } = await ask('POST', '/api/auth/api-keys', { token, json });
    const { key } = body as { key: string };
    expect(body).toMatchObject({ expires_at: expiresAt });
    expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(200);
    await eventually(async () => {
      expect((await ask('GET', '/api/auth/me', { token: key })).status).toBe(401);
    });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it('needs a name that can be shown', async () => {
    const { accessToken: token } = await signUp(ask);
    for (const json of [
      {},
      { name: ' ' },
      { name: 'a\u0000b' },
      { name: '\ud800' },
      { name: 'x'.repeat(101) },
      { name: 'x', scopes: ['all'] },
      { name: 'x', scopes: ['account:write'] },
      { name: 'x', scopes: [] },
      { name: 'x', expires_at: '2020-01-01T00:00:00Z' },
      { name: 'x', expires_at: 'soon' },
    ]) {
      expect((await ask('POST', '/api/auth/api-keys', { token, json })).status).toBe(400);
    }
  });
});

describe('AuthService.Authenticate', () => {
  it('is closed without a token, with a user token, and with a service token for elsewhere', async () => {
    const { accessToken } = await signUp(ask);
    const { key } = await newKey(accessToken);
    const elsewhere = await tokenFor(auth.worker, 'integrations');
    for (const token of [undefined, accessToken, elsewhere, key]) {
      await expect(authenticate(key, token)).rejects.toMatchObject({
        code: status.UNAUTHENTICATED,
      });
    }
  });

  it('is closed to a service that lacks the scope', async () => {
    const { accessToken } = await signUp(ask);
    const { key } = await newKey(accessToken);
    await expect(authenticate(key, await tokenFor(auth.worker, 'auth'))).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
    });
  });

  it('tells a malformed key from an unknown one by nothing', async () => {
    const token = await tokenFor(auth.verifier, 'auth');
    const details = new Set<string>();
    for (const key of ['', 'nonsense', `jn_live_${'0'.repeat(32)}_${'a'.repeat(43)}_000000`]) {
      const error = await authenticate(key, token).catch((error: ServiceError) => error);
      expect(error).toMatchObject({ code: status.UNAUTHENTICATED });
      details.add((error as ServiceError).details);
    }
    expect(details.size).toBe(1);
  });
});

describe('POST /oauth/token', () => {
  const form = { grant_type: 'client_credentials', audience: 'integrations' };

  it('gives a service a token for one other service, with the scopes it asked for', async () => {
    const answer = await token(auth.worker, { ...form, scope: 'tokens:read' });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const body = answer.body as { access_token: string };
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'tokens:read',
    });
    expect(decodeJwt(body.access_token)).toMatchObject({
      iss: PUBLIC_URL,
      aud: 'integrations',
      sub: auth.worker.id,
      client_id: auth.worker.id,
      scope: 'tokens:read',
      jti: expect.any(String),
    });
  });

  it('takes the credentials from the form too, and `resource` for `audience`', async () => {
    const answer = await ask('POST', '/oauth/token', {
      text: new URLSearchParams({
        grant_type: 'client_credentials',
        resource: 'integrations',
        client_id: auth.worker.id,
        client_secret: auth.worker.secret,
      }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ scope: 'tokens:read ops:read' });
  });

  it('refuses in the words of the RFC, and nothing of it is cached', async () => {
    const stranger = { id: 'cli_stranger', secret: auth.worker.secret };
    const guess = { ...auth.worker, secret: 'guess' };
    const cases: readonly [Client, Record<string, string>, number, string][] = [
      [stranger, form, 401, 'invalid_client'],
      [guess, form, 401, 'invalid_client'],
      [auth.worker, { ...form, grant_type: 'password' }, 400, 'unsupported_grant_type'],
      [auth.worker, { audience: 'integrations' }, 400, 'invalid_request'],
      [auth.worker, { ...form, audience: 'webhook-dispatcher' }, 400, 'invalid_target'],
      [auth.worker, { ...form, audience: 'billing' }, 400, 'invalid_target'],
      [auth.worker, { grant_type: 'client_credentials' }, 400, 'invalid_request'],
      [auth.worker, { ...form, scope: 'tokens:read events:publish' }, 400, 'invalid_scope'],
    ];
    for (const [client, parameters, expected, error] of cases) {
      const { status, headers, body } = await token(client, parameters);
      expect([status, body]).toEqual([expected, { error, error_description: expect.any(String) }]);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('www-authenticate')?.startsWith('Basic') ?? false).toBe(expected === 401);
    }
  });

  it('says the same of an unknown client and of a wrong secret', async () => {
    const one = await token({ id: 'cli_stranger', secret: 'guess' }, form);
    const two = await token({ ...auth.worker, secret: 'guess' }, form);
    expect(one.body).toEqual(two.body);
  });

  it('wants a form, of reasonable size, with each parameter once', async () => {
    const json = await ask('POST', '/oauth/token', { json: form });
    expect(json).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const twice = await token(auth.worker, `${new URLSearchParams(form)}&audience=auth`);
    expect(twice).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const large = await token(auth.worker, { ...form, scope: 'x'.repeat(20_000) });
    expect(large).toMatchObject({ status: 413, body: { error: 'invalid_request' } });
    const get = await ask('GET', '/oauth/token');
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it("gives tokens that are no user's", async () => {
    const serviceToken = await tokenFor(auth.worker, 'integrations');
    expect((await ask('GET', '/api/auth/me', { token: serviceToken })).status).toBe(401);
  });
});

describe('GET /.well-known/jwks.json', () => {
  it('publishes public keys only, for a while', async () => {
    const { status, headers, body } = await ask('GET', '/.well-known/jwks.json');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    expect(body).toEqual({
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: expect.any(String),
          kid: expect.any(String),
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    });
  });
});

async function newKey(token: string): Promise<{ id: string; key: string }> {
  const { body } = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'test' } });
  return body as { id: string; key: string };
}

const token = ({ id, secret }: Client, parameters: Record<string, string> | string) =>
  ask('POST', '/oauth/token', {
    text: new URLSearchParams(parameters).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${id}:${secret}`)}`,
    },
  });

async function tokenFor(client: Client, audience: string): Promise<string> {
  const { body } = await token(client, { grant_type: 'client_credentials', audience });
  return (body as { access_token: string }).access_token;
}

function authenticate(apiKey: string, token: string | undefined): Promise<AuthenticateResponse> {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + 5_000;
    grpc.authenticate({ apiKey }, metadata, { deadline }, (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
}
