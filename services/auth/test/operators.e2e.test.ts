import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useBroker, useDatabase } from '@junction/testing';
import { decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose';
import { TOTP } from 'otpauth';
import { asAdmin } from './admin-client.js';
import { askOf, logIn, type Person, signUp } from './http-client.js';
import { authSchema } from './schema.js';
import { PUBLIC_URL, type StartedAuth, startAuth } from './started-auth.js';

const database = useDatabase(authSchema);
const broker = useBroker();
let auth: StartedAuth;
let user: Person;
let operator: Person;
let token: string;
const ask = askOf(() => auth.url);

beforeAll(async () => {
  auth = await startAuth(database(), broker);
  [user, operator] = [await signUp(ask), await signUp(ask)];
  await changeRole('addOperator', operator.email);
  token = (await logIn(ask, operator)).accessToken;
});
afterAll(() => auth.dispose());

const ROUTES = ['health', 'consumers', 'dead-letters', 'projections', 'keys', 'audit', 'users'].map(
  (name) => `/api/ops/auth/${name}`,
);

describe("the operators' routes", () => {
  it('are closed to users, to API keys and to who forges the role', async () => {
    const json = { name: 'laptop' };
    const made = await ask('POST', '/api/auth/api-keys', { json, token });
    const { key } = made.body as { key: string };
    const forged = await forgedToken(token);
    for (const route of [...ROUTES, `/api/ops/auth/users/${user.id}`]) {
      const asUser = await ask('GET', route, { token: user.accessToken });
      expect([route, asUser.status, asUser.body]).toEqual([
        route,
        403,
        expect.objectContaining({ code: 'operator_required' }),
      ]);
      expect([route, (await ask('GET', route, { token: key })).status]).toEqual([route, 403]);
      expect([route, (await ask('GET', route, { token: forged })).status]).toEqual([route, 401]);
      expect([route, (await ask('GET', route)).status]).toEqual([route, 401]);
    }
  });

  it('answer operators, without an address in full or a token, and record each access', async () => {
    for (const route of [...ROUTES, ...ROUTES, `/api/ops/auth/users/${user.id}`]) {
      const { status, body } = await ask('GET', route, { token });
      expect([route, status]).toEqual([route, 200]);
      const text = JSON.stringify(body);
      for (const secret of [user.email, operator.email, user.refreshToken, token])
        expect(text).not.toContain(secret);
    }
    const audit = await ask('GET', `/api/ops/auth/audit?actor=${operator.id}`, { token });
    const { items } = audit.body as { items: { method: string }[] };
    const times = (name: string) => items.filter(({ method }) => method === name).length;
    expect(items[0]).toMatchObject({
      actor: { kind: 'user', id: operator.id },
      method: 'ListAccesses',
      outcome: 'read',
    });
    expect([times('GetHealth'), times('ListProjections'), times('GetUser')]).toEqual([2, 2, 1]);
  });

  it('make another key that signs tokens, for an operator with a second factor alone', async () => {
    const rotate = async (token: string) =>
      ask('POST', '/api/ops/auth/signing-keys/rotate', { token, json: { compromised: false } });
    const refused = await rotate(user.accessToken);
    expect(refused).toMatchObject({ status: 403, body: { code: 'operator_required' } });
    expect(await rotate(token)).toMatchObject({
      status: 403,
      body: { code: 'second_factor_needed' },
    });

    const other = await signUp(ask);
    await changeRole('addOperator', other.email);
    const proven = await addTotp((await logIn(ask, other)).accessToken);
    const rotated = await rotate(proven);
    expect(rotated).toMatchObject({ status: 200, body: { kid: expect.any(String) } });
    const jwks = await ask('GET', '/.well-known/jwks.json');
    expect((jwks.body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)).toContain(
      (rotated.body as { kid: string }).kid,
    );
    await changeRole('removeOperator', other.id);
  });

  it('page through users, and find one by the exact address', async () => {
    const list = async (query: string) =>
      (await ask('GET', `/api/ops/auth/users?${query}`, { token })).body as {
        items: { id: string }[];
        next_cursor: string | null;
      };
    const first = await list('limit=2');
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    const [, ...older] = [...first.items, ...second.items].map(({ id }) => id);
    expect(older).toEqual([operator.id, user.id]);
    expect(second.next_cursor).toBeNull();
    const found = await list(`email=${encodeURIComponent(user.email)}`);
    expect(found.items.map(({ id }) => id)).toEqual([user.id]);
  });

  it('remove the factors of a user who has lost them, for an operator with a second factor alone', async () => {
    const [lost, other] = [await signUp(ask), await signUp(ask)];
    await changeRole('addOperator', other.email);
    const proven = await addTotp((await logIn(ask, other)).accessToken);
    const remove = async (token: string, id = lost.id) =>
      ask('POST', `/api/ops/auth/users/${id}/remove-factors`, { token, json: {} });
    await addTotp(lost.accessToken);
    expect(await remove(user.accessToken)).toMatchObject({ status: 403 });
    expect(await remove(token)).toMatchObject({ body: { code: 'second_factor_needed' } });
    const removed = await remove(proven);
    expect(removed).toMatchObject({ status: 200, body: { factors: 1, sessions: 1 } });
    expect((await logIn(ask, lost)).accessToken).toEqual(expect.any(String));
    expect(await remove(proven, randomUUID())).toMatchObject({ status: 404 });
    const audit = await ask('GET', `/api/ops/auth/audit?actor=${other.id}`, { token: proven });
    expect((audit.body as { items: object[] }).items).toContainEqual(
      expect.objectContaining({ method: 'RemoveFactors', outcome: 'completed' }),
    );
  });

  it('close when the role is taken away', async () => {
    await changeRole('removeOperator', operator.id);
    expect((await ask('GET', '/api/ops/auth/health', { token })).status).toBe(401);
    const again = await logIn(ask, operator);
    const after = await ask('GET', '/api/ops/auth/health', { token: again.accessToken });
    expect(after.status).toBe(403);
  });
});

/** Adds an authenticator, and gives the access token of the session that has shown it. */
async function addTotp(token: string): Promise<string> {
  const offered = await ask('POST', '/api/auth/totp', { token, json: {} });
  const { secret } = offered.body as { secret: string };
  const json = { code: new TOTP({ secret }).generate() };
  const confirmed = await ask('POST', '/api/auth/totp/confirm', { token, json });
  return (confirmed.body as { tokens: { access_token: string } }).tokens.access_token;
}

/** The role in a token that another key has signed under the id of ours. */
async function forgedToken(genuine: string): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const { kid = '' } = decodeProtectedHeader(genuine);
  return new SignJWT({ sid: user.sessionId, role: 'operator' })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid })
    .setIssuer(PUBLIC_URL)
    .setSubject(user.id)
    .setAudience('junction-api')
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(privateKey);
}

const changeRole = (how: 'addOperator' | 'removeOperator', named: string): Promise<void> =>
  asAdmin(
    auth,
    ask,
    ({ client, metadata }) =>
      new Promise<void>((resolve, reject) => {
        const deadline = Date.now() + 10_000;
        client[how]({ user: named }, metadata, { deadline }, (error) =>
          error ? reject(error) : resolve(),
        );
      }),
  );
