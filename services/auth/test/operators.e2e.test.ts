import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose';
import { addTotp } from './add-totp.js';
import { askOf, logIn, type Person, signUp, tokensOf } from './http-client.js';
import { asTool } from './operator-client.js';
import { authSchema } from './schema.js';
import { PUBLIC_URL, type StartedAuth, startAuth } from './started-auth.js';

const database = useDatabase(authSchema);
const broker = useBroker();
let auth: StartedAuth;
let user: Person;
let operator: Person;
/** The token of the operator's session, which has shown a second factor. */
let token: string;
let recoveryCode: string | undefined;
const ask = askOf(() => auth.url);

beforeAll(async () => {
  auth = await startAuth(database(), broker);
  [user, operator] = [await signUp(ask), await signUp(ask)];
  await makeOperator(operator);
  const added = await addTotp(ask, (await logIn(ask, operator)).accessToken);
  token = added.accessToken;
  [recoveryCode] = added.recoveryCodes;
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

  it('page through users, and find one by the exact address', async () => {
    const list = async (query: string) =>
      (await ask('GET', `/api/ops/auth/users?${query}`, { token })).body as {
        items: { id: string }[];
        next_cursor: string | null;
      };
    const first = await list('limit=1');
    const second = await list(`limit=1&cursor=${first.next_cursor}`);
    const both = [...first.items, ...second.items].map(({ id }) => id);
    expect(both).toEqual([operator.id, user.id]);
    expect(second.next_cursor).toBeNull();
    const found = await list(`email=${encodeURIComponent(user.email)}`);
    expect(found.items.map(({ id }) => id)).toEqual([user.id]);
  });

  it('show a stolen session of an operator nothing, when it has shown no second factor', async () => {
    const other = await signUp(ask);
    await makeOperator(other);
    const { accessToken: stolen } = await logIn(ask, other);
    for (const route of [...ROUTES, `/api/ops/auth/users/${user.id}`]) {
      const { status, body } = await ask('GET', route, { token: stolen });
      expect([route, status, body]).toEqual([
        route,
        403,
        expect.objectContaining({ code: 'second_factor_needed' }),
      ]);
    }
    const { accessToken: proven } = await addTotp(ask, stolen);
    expect((await ask('GET', '/api/ops/auth/health', { token: proven })).status).toBe(200);
    await unmakeOperator(other);
  });

  it('record who was refused what and why, and repeats of it once', async () => {
    const [person, other] = [await signUp(ask), await signUp(ask)];
    await makeOperator(other);
    const without = (await logIn(ask, other)).accessToken;
    const made = await ask('POST', '/api/auth/api-keys', {
      json: { name: 'laptop' },
      token: person.accessToken,
    });
    const { key } = made.body as { key: string };
    const users = '/api/ops/auth/users';
    for (let n = 0; n < 3; n++) await ask('GET', users, { token: person.accessToken });
    await ask('GET', `${users}/${person.email}`, { token: person.accessToken });
    await ask('POST', `${users}/${user.id}/remove-factors`, { token: without, json: {} });
    await ask('GET', '/api/ops/auth/keys', { token: key });
    await ask('GET', '/api/ops/auth/keys', { token: `${without}x` });

    await eventually(async () => {
      expect(await refusalsOf(person.id)).toEqual([
        ['GET /api/ops/auth/keys', 'insufficient_scope'],
        ['GET /api/ops/auth/users/:id', 'operator_required'],
        ['GET /api/ops/auth/users', 'operator_required'],
      ]);
      expect(await refusalsOf(other.id)).toEqual([
        ['POST /api/ops/auth/users/:id/remove-factors', 'second_factor_needed'],
      ]);
    });
    await unmakeOperator(other);
  });

  it('record which service lacked the scope', async () => {
    const path = 'operators';
    expect(await asTool(auth, ask, { method: 'GET', path, scope: 'ops:write' })).toMatchObject({
      status: 403,
      body: { code: 'scope_missing' },
    });
    await eventually(async () =>
      expect(await refusalsOf(auth.worker.id)).toEqual([
        ['GET /internal/api/ops/auth/operators', 'scope_missing'],
      ]),
    );
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
    // Health alone is answered without a record.
    expect([times('GetHealth'), times('ListProjections'), times('GetUser')]).toEqual([0, 2, 1]);
  });

  it('make another key that signs tokens, for an operator with a second factor alone', async () => {
    const rotate = async (token: string) =>
      ask('POST', '/api/ops/auth/signing-keys/rotate', { token, json: { compromised: false } });
    const refused = await rotate(user.accessToken);
    expect(refused).toMatchObject({ status: 403, body: { code: 'operator_required' } });
    const other = await signUp(ask);
    await makeOperator(other);
    expect(await rotate((await logIn(ask, other)).accessToken)).toMatchObject({
      status: 403,
      body: { code: 'second_factor_needed' },
    });
    const { accessToken: proven } = await addTotp(ask, (await logIn(ask, other)).accessToken);
    const rotated = await rotate(proven);
    expect(rotated).toMatchObject({ status: 200, body: { kid: expect.any(String) } });
    const jwks = await ask('GET', '/.well-known/jwks.json');
    expect((jwks.body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)).toContain(
      (rotated.body as { kid: string }).kid,
    );
    await unmakeOperator(other);
  });

  it('remove the factors of a user who has lost them, for an operator with a second factor alone', async () => {
    const [lost, other] = [await signUp(ask), await signUp(ask)];
    await makeOperator(other);
    const without = (await logIn(ask, other)).accessToken;
    const { accessToken: proven } = await addTotp(ask, without);
    const remove = async (token: string, id = lost.id) =>
      ask('POST', `/api/ops/auth/users/${id}/remove-factors`, { token, json: {} });
    await addTotp(ask, lost.accessToken);
    expect(await remove(user.accessToken)).toMatchObject({ status: 403 });
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
    await unmakeOperator(operator);
    expect((await ask('GET', '/api/ops/auth/health', { token })).status).toBe(401);
    const again = await signInWithCode();
    const after = await ask('GET', '/api/ops/auth/health', { token: again });
    expect(after).toMatchObject({ status: 403, body: { code: 'operator_required' } });
  });
});

/** Returns the refused attempts of an actor in the audit: method and code, the newest first. */
async function refusalsOf(actor: string): Promise<readonly (readonly [string, string])[]> {
  const { body } = await ask('GET', `/api/ops/auth/audit?actor=${actor}`, { token });
  const { items } = body as { items: { outcome: string; method: string; code: string }[] };
  return items
    .filter(({ outcome }) => outcome === 'refused')
    .map(({ method, code }) => [method, code]);
}

/** The operator signs in again; gives the access token. */
async function signInWithCode(): Promise<string> {
  const { email, password } = operator;
  const login = await ask('POST', '/api/auth/login', { json: { email, password } });
  const { mfa_token } = login.body as { mfa_token: string };
  const json = { mfa_token, recovery_code: recoveryCode };
  const { body } = await ask('POST', '/api/auth/login/second-factor', { json });
  return tokensOf(body).accessToken;
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

async function makeOperator({ email }: Person): Promise<void> {
  const made = await asTool(auth, ask, { method: 'POST', path: 'operators', json: { email } });
  expect(made.status).toBe(200);
}

async function unmakeOperator({ id }: Person): Promise<void> {
  const unmade = await asTool(auth, ask, { method: 'DELETE', path: `operators/${id}` });
  expect(unmade.status).toBe(204);
}
