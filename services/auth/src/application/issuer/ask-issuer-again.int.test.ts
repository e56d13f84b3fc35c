import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { issuerKeys } from '@junction/service/callers';
import { outboundCalls } from '@junction/service/outbound';
import { useDatabase } from '@junction/testing';
import { decodeJwt } from 'jose';
import {
  type AuthOnPostgres,
  authOnPostgres,
  loggedIn,
  newcomer,
  testRing,
} from '../../../test/auth-on-postgres.js';
import {
  CLIENT_SECRET,
  DISCOVERY,
  type ForeignIssuer,
  startForeignIssuer,
  TOKEN,
} from '../../../test/foreign-issuer.js';
import { authSchema } from '../../../test/schema.js';
import { issuerSignIns } from '../../adapters/oidc/issuer-sign-in.js';
import type { IssuerSignIn } from './ports.js';

const MINUTE_MS = 60_000;
/** An access token lives for ten minutes, so the hour of the issuer's word ends for refreshes after fifty. */
const DUE_MS = 51 * MINUTE_MS;
const PUBLIC_URL = 'https://junction.example';

const database = useDatabase(authSchema);
const signIns = new Map<string, IssuerSignIn>();
const outbound = outboundCalls({});
let issuer: ForeignIssuer;
let auth: AuthOnPostgres;
beforeAll(async () => {
  issuer = await startForeignIssuer();
  auth = await authOnPostgres(database(), testRing(), signIns);
});
beforeEach(() => {
  issuer.recover();
  forgetIssuer();
});
afterAll(async () => {
  await outbound.close();
  await issuer.close();
});

const needed = expect.objectContaining({ code: 'issuer_sign_in_needed', kind: 'unauthenticated' });
const over = expect.objectContaining({ code: 'invalid_refresh_token' });
const ended = expect.objectContaining({ code: 'issuer_session_ended' });
const unavailable = expect.objectContaining({ code: 'issuer_unavailable' });

describe("a session of a trusted issuer's user", () => {
  it('is not refreshed beyond the hour by a user whom the issuer has ended', async () => {
    const { refreshToken } = await signedIn();
    auth.later(DUE_MS - 2 * MINUTE_MS);
    const { refreshToken: next } = await auth.app.refresh(refreshToken);
    auth.later(2 * MINUTE_MS);
    await expect(auth.app.refresh(next)).rejects.toEqual(needed);
    auth.later(24 * 60 * MINUTE_MS);
    await expect(auth.app.refresh(next)).rejects.toEqual(needed);
  });

  it('goes on with the same refresh token, once the issuer says that the same user is there', async () => {
    const { sub, sessionId, refreshToken } = await signedIn();
    auth.later(DUE_MS);
    await expect(auth.app.refresh(refreshToken)).rejects.toEqual(needed);
    await comeBack(refreshToken, { sub });
    const { accessToken, refreshToken: next } = await auth.app.refresh(refreshToken);
    expect(decodeJwt(accessToken)['sid']).toBe(sessionId);
    auth.later(DUE_MS);
    await expect(auth.app.refresh(next)).rejects.toEqual(needed);
  });

  it('does not count for recently authenticated because its issuer was asked again', async () => {
    const { sub, accessToken, refreshToken } = await signedIn();
    auth.later(DUE_MS);
    await comeBack(refreshToken, { sub });
    const renewed = await auth.app.refresh(refreshToken);
    expect(decodeJwt(renewed.accessToken)['auth_time']).toBe(decodeJwt(accessToken)['auth_time']);
  });

  it.each([
    ['nobody is signed in', { error: 'login_required' }],
    ['the user would have to be asked something', { error: 'interaction_required' }],
    ['the code is not good', { code: 'made up' }],
    ['somebody else is signed in', { sub: 'mallory' }],
  ])('ends when the issuer says that %s', async (_, answer) => {
    const { sessionId, refreshToken } = await signedIn();
    auth.later(DUE_MS);
    await expect(comeBack(refreshToken, answer)).rejects.toEqual(ended);
    await expect(auth.app.refresh(refreshToken)).rejects.toEqual(over);
    expect((await auth.store.load(`session-${sessionId}`)).history.at(-1)).toMatchObject({
      type: 'session.revoked',
      data: { reason: 'issuer_refused' },
    });
  });

  it('goes on for an hour more while its issuer does not answer, and then waits for it', async () => {
    const { refreshToken: first } = await signedIn();
    auth.later(DUE_MS);
    issuer.fail(DISCOVERY);
    forgetIssuer();
    const { refreshToken } = await auth.app.refresh(first);
    auth.later(60 * MINUTE_MS);
    await expect(auth.app.refresh(refreshToken)).rejects.toEqual(needed);
    await expect(auth.app.issuerAgain.begin(refreshToken)).rejects.toEqual(unavailable);
    issuer.recover();
    forgetIssuer();
    await expect(auth.app.issuerAgain.begin(refreshToken)).resolves.toBeDefined();
  });

  it.each(['503', 'cut'] as const)(
    'goes on while its issuer does not exchange codes: %s',
    async (how) => {
      const { sub, refreshToken: first } = await signedIn();
      auth.later(DUE_MS);
      issuer.fail(TOKEN, how);
      await expect(comeBack(first, { sub })).rejects.toEqual(unavailable);
      const { refreshToken } = await auth.app.refresh(first);
      auth.later(2 * MINUTE_MS);
      await expect(auth.app.refresh(refreshToken)).rejects.toEqual(needed);
    },
  );

  it.each(['temporarily_unavailable', 'server_error'])(
    'gains no time by a browser that says %s for its issuer',
    async (error) => {
      const { refreshToken } = await signedIn();
      auth.later(DUE_MS);
      await expect(comeBack(refreshToken, { error })).rejects.toEqual(unavailable);
      await expect(auth.app.refresh(refreshToken)).rejects.toEqual(needed);
    },
  );

  it('has its issuer sought once for all refreshes of a moment', async () => {
    const tokens = [await signedIn(), await signedIn()].map(({ refreshToken }) => refreshToken);
    auth.later(DUE_MS);
    issuer.fail(DISCOVERY);
    forgetIssuer();
    const before = issuer.asked(DISCOVERY);
    const answers = await Promise.all(
      [...tokens, ...tokens].map((token) => auth.app.refresh(token)),
    );
    expect(new Set(answers.map((answer) => answer.refreshToken)).size).toBe(2);
    expect(issuer.asked(DISCOVERY)).toBe(before + 1);
  });
});

describe('a session of a user of our own', () => {
  it('has no issuer to ask', async () => {
    const visitor = newcomer();
    await auth.app.register(visitor);
    const { refreshToken } = await loggedIn(auth.app, visitor);
    auth.later(DUE_MS);
    const { refreshToken: next } = await auth.app.refresh(refreshToken);
    await expect(auth.app.issuerAgain.begin(next)).rejects.toEqual(over);
  });
});

/** An issuer that was found is not sought again for five seconds of the real clock. */
function forgetIssuer(): void {
  const keys = issuerKeys({
    issuer: issuer.settings.issuer,
    log: { warn: () => {} },
    fetch: outbound.fetch,
  });
  const options = {
    foreignIssuers: [{ settings: issuer.settings, keys }],
    publicUrl: PUBLIC_URL,
    variable: () => CLIENT_SECRET,
    fetch: outbound.fetch,
  };
  for (const [id, signIn] of issuerSignIns(options)) signIns.set(id, signIn);
}

/** Signs a new user in at the issuer. */
async function signedIn() {
  const sub = randomUUID();
  const { url, pending } = await auth.app.issuers.begin('acme');
  expect(url.searchParams.get('prompt')).toBeNull();
  const callback = { issuerId: 'acme', url: back(url, { sub }), pending };
  const tokens = await auth.app.issuers.finish(callback);
  return { ...tokens, sub, sessionId: String(decodeJwt(tokens.accessToken)['sid']) };
}

type Answer = { readonly sub?: string; readonly code?: string; readonly error?: string };

/** The browser was sent to the issuer again, and comes back with this. */
async function comeBack(refreshToken: string, answer: Answer): Promise<void> {
  const { url, pending, issuerId, sessionId } = await auth.app.issuerAgain.begin(refreshToken);
  expect(url.searchParams.get('prompt')).toBe('none');
  return auth.app.issuerAgain.finish({ issuerId, url: back(url, answer), pending }, sessionId);
}

function back(asked: URL, { sub, code = issuer.codeFor(sub ?? '', asked), error }: Answer): URL {
  const url = new URL(`${PUBLIC_URL}/api/auth/sign-in/acme/callback`);
  url.searchParams.set('state', asked.searchParams.get('state') ?? '');
  if (error === undefined) url.searchParams.set('code', code);
  else url.searchParams.set('error', error);
  return url;
}
