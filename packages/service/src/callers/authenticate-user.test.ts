import { afterEach, describe, expect, it } from '@jest/globals';
import { pause } from '@junction/async';
import { AppError } from '@junction/errors';
import { PORTAL_ID, SESSION_ID, USER_ID } from '../../test/issuer.js';
import { closeOpened } from '../../test/loopback.js';
import { GOOD_KEY, userServer } from '../../test/user-server.js';
import { type AuthenticateUserOptions, PORTAL_AUDIENCE } from './authenticate-user.js';
import { ACCESS_COOKIE } from './browser-session.js';

/** Longer than a body may take unseen. */
const SLOW_MS = 700;

afterEach(closeOpened);

describe('a caller', () => {
  it('with an access token is its user in its session', async () => {
    const { ask, userToken } = await server();
    expect(await ask(`Bearer ${await userToken()}`)).toMatchObject({
      status: 200,
      body: { kind: 'user', userId: USER_ID, via: 'jwt', sessionId: SESSION_ID },
    });
  });

  it('with an API key is its owner', async () => {
    const { ask } = await server();
    expect(await ask(`bearer ${GOOD_KEY}`)).toMatchObject({
      status: 200,
      body: { userId: USER_ID, via: 'api_key', scopes: ['account:read'] },
    });
  });

  it('with nothing is told how to authenticate, and of no error', async () => {
    const { ask } = await server();
    expect(await ask(undefined)).toMatchObject({
      status: 401,
      challenge: 'Bearer realm="junction"',
      body: { code: 'unauthenticated' },
    });
  });

  it.each([
    'Bearer',
    'Bearer a b',
    'Basic dTpw',
    'Bearer jn_live_bad',
    'Bearer jn_live_',
    'Bearer x',
  ])('with "%s" is refused', async (authorization) => {
    const { ask } = await server();
    expect(await ask(authorization)).toMatchObject({
      status: 401,
      challenge: 'Bearer realm="junction", error="invalid_token"',
      body: { code: 'invalid_token' },
    });
  });

  it('with a key that auth calls unauthenticated is refused likewise', async () => {
    const { ask } = await server({
      apiKey: () => Promise.reject(new AppError('invalid_api_key', 'No.')),
    });
    expect(await ask(`Bearer ${GOOD_KEY}`)).toMatchObject({
      status: 401,
      body: { code: 'invalid_token' },
    });
  });

  it('with a mistyped API key is refused without asking auth', async () => {
    let asked = 0;
    const apiKey = async () => {
      asked += 1;
      return undefined;
    };
    const { ask } = await server({ apiKey });
    for (const at of [8, 30, 50, 80, GOOD_KEY.length - 1]) {
      const wrong = GOOD_KEY[at] === '1' ? '2' : '1';
      const mistyped = GOOD_KEY.slice(0, at) + wrong + GOOD_KEY.slice(at + 1);
      expect(await ask(`Bearer ${mistyped}`)).toMatchObject({ status: 401 });
    }
    expect(asked).toBe(0);
    expect(await ask(`Bearer ${GOOD_KEY}`)).toMatchObject({ status: 401 });
    expect(asked).toBe(1);
  });

  it('with an API key is told that a change of the account wants a session', async () => {
    const { send } = await server();
    expect(await send({ authorization: `Bearer ${GOOD_KEY}` }, { method: 'DELETE' })).toMatchObject(
      { status: 403, body: { code: 'session_required' } },
    );
  });

  it('with the token of a portal is its user, as far as its scopes go', async () => {
    const { ask, portalToken } = await server();
    expect(await ask(`Bearer ${await portalToken('account:read')}`)).toMatchObject({
      status: 200,
      body: { userId: USER_ID, via: 'portal', scopes: ['account:read'] },
    });
    expect(await ask(`Bearer ${await portalToken('webhooks:read webhooks:write')}`)).toMatchObject({
      status: 403,
      challenge: 'Bearer realm="junction", error="insufficient_scope", scope="account:read"',
      body: { code: 'insufficient_scope' },
    });
  });

  it('with the token of a portal in a cookie, or one that is half a session’s, is refused', async () => {
    const { ask, send, portalToken, userToken } = await server();
    const cookie = `${ACCESS_COOKIE}=${await portalToken('account:read')}`;
    expect(await send({ cookie })).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
    const withSession = await userToken({ audience: PORTAL_AUDIENCE });
    expect(await ask(`Bearer ${withSession}`)).toMatchObject({ status: 401 });
    const elsewhere = await portalToken('account:read', { audience: 'junction-api' });
    expect(await ask(`Bearer ${elsewhere}`)).toMatchObject({ status: 401 });
  });

  it.each([
    ['a token', USER_ID],
    ['a token', SESSION_ID],
    ['the token of a portal', USER_ID],
    ['the token of a portal', PORTAL_ID],
    ['an API key', USER_ID],
  ])('with %s is refused once %s is revoked', async (what, revoked) => {
    const { ask, userToken, portalToken } = await server({
      revoked: async (ids) => ids.includes(revoked),
    });
    const credentials: Readonly<Record<string, string>> = {
      'a token': await userToken(),
      'the token of a portal': await portalToken('account:read'),
      'an API key': GOOD_KEY,
    };
    expect(await ask(`Bearer ${credentials[what]}`)).toMatchObject({ status: 401 });
  });
});

describe('a body that comes slowly', () => {
  it.each([true, false])('is of nobody once its caller was revoked meanwhile: %s', async (ends) => {
    let isRevoked = false;
    const { send, userToken } = await server({ revoked: async () => isRevoked });
    const headers = {
      authorization: `Bearer ${await userToken()}`,
      'content-type': 'application/json',
    };
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from('{'));
        await pause(SLOW_MS);
        isRevoked = ends;
        controller.enqueue(Buffer.from('}'));
        controller.close();
      },
    });
    const answer = await send(headers, { method: 'POST', body, duplex: 'half' });
    expect(answer.status).toBe(ends ? 401 : 200);
  });
});

describe('a check that cannot be made', () => {
  it.each<[string, Partial<AuthenticateUserOptions>, string]>([
    ['revocations', { revoked: () => Promise.reject(new Error('postgres is down')) }, 'token'],
    ['API keys', { apiKey: () => Promise.reject(new Error('auth is down')) }, 'key'],
  ])('lets nobody in and signs nobody out: %s', async (_, broken, credential) => {
    const { ask, userToken } = await server(broken);
    const answer = await ask(
      credential === 'key' ? `Bearer ${GOOD_KEY}` : `Bearer ${await userToken()}`,
    );
    expect(answer).toMatchObject({ status: 503, retryAfter: '5' });
    expect(JSON.stringify(answer)).not.toContain('down');
  });
});

async function server(overrides: Partial<AuthenticateUserOptions> = {}) {
  const { send, ...server } = await userServer(overrides);
  const ask = (authorization: string | undefined) =>
    send(authorization === undefined ? {} : { authorization });
  return { ...server, ask, send };
}
