import { afterEach, describe, expect, it } from '@jest/globals';
import { foreignUserId } from '@junction/contracts';
import { eventually } from '@junction/testing';
import { SignJWT } from 'jose';
import { type ForeignToken, foreignIssuer } from '../../../test/foreign-issuer.js';
import { issuer, SESSION_ID, USER_ID } from '../../../test/issuer.js';
import { closeOpened, readableLog, until } from '../../../test/loopback.js';
import type { TrustedIssuer } from '../../process/config/trusted-issuers.js';
import { remoteKeys, tokenVerifier } from '../token-verifier.js';
import { withForeignIssuers } from './foreign-users.js';
import { issuerKeys } from './issuer-keys.js';

afterEach(closeOpened);

const MINUTE_MS = 60_000;
const refused = { kind: 'unauthenticated', code: 'invalid_token' };

describe("a trusted issuer's token", () => {
  it('is its user: an id that issuer and subject alone decide', async () => {
    const { verify, token, issuer } = await trusted();
    expect(await verify(await token())).toEqual({
      subject: foreignUserId(issuer, 'ada'),
      issuerId: 'acme',
      isOperator: false,
      scopes: ['openid', 'junction'],
      expiresAt: expect.any(Date),
      authenticatedAt: undefined,
    });
  });

  it('says when its user signed in, where the issuer does', async () => {
    const { verify, token } = await trusted();
    const claims = { auth_time: 1_700_000_000 };
    expect(await verify(await token({ claims }))).toMatchObject({
      authenticatedAt: new Date('2023-11-14T22:13:20Z'),
    });
    for (const auth_time of ['2023-11-14T22:13:20Z', null, -1, 1e15]) {
      const unclear = await verify(await token({ claims: { auth_time } }));
      expect(unclear).toMatchObject({ issuerId: 'acme', authenticatedAt: undefined });
    }
  });

  it('names the user by a claim where the issuer is trusted with that', async () => {
    const { verify, token } = await trusted({ userIdClaim: 'junction_id' });
    const claims = { junction_id: USER_ID.toUpperCase() };
    expect(await verify(await token({ claims }))).toMatchObject({ subject: USER_ID });
    for (const junction_id of [undefined, 'ada', 7]) {
      const unnamed = await token({ claims: { junction_id } });
      await expect(verify(unnamed)).rejects.toMatchObject(refused);
    }
  });

  it.each(['JWT', '', 'application/at+jwt'])('may have the type "%s"', async (typ) => {
    const { verify, token } = await trusted();
    await expect(verify(await token({ typ }))).resolves.toMatchObject({ issuerId: 'acme' });
  });

  it('says its scopes in either way', async () => {
    const { verify, token } = await trusted({ requiredScopes: ['junction'] });
    for (const scopes of [{ scope: 'a junction' }, { scp: ['junction'] }, { scp: 'junction' }]) {
      const claims = { scope: undefined, ...scopes };
      await expect(verify(await token({ claims }))).resolves.toBeDefined();
    }
  });

  it.each<[string, ForeignToken]>([
    ['has expired', { expiresIn: Math.floor(Date.now() / 1_000) - 6 }],
    ['is for another audience', { claims: { aud: 'somebody-else' } }],
    ['is an ID token by its type', { typ: 'id_token+jwt' }],
    ['lacks a required scope', { claims: { scope: 'openid' } }],
    ['names a key that is not published', { kid: 'f9' }],
    ['names another issuer than the one that signed', { claims: { iss: 'https://other.example' } }],
  ])('is refused when it %s', async (_reason, shape) => {
    const { verify, token } = await trusted({ requiredScopes: ['junction'] });
    await expect(verify(await token(shape))).rejects.toMatchObject(refused);
  });

  it('is refused when it is signed by an algorithm that is not allowed, or by a shared key', async () => {
    const { verify, token, issuer } = await trusted({ algorithms: ['RS256'] });
    await expect(verify(await token())).rejects.toMatchObject(refused);
    const shared = new SignJWT({ iss: issuer, sub: 'ada', aud: 'junction-api' })
      .setProtectedHeader({ alg: 'HS256', kid: 'f1' })
      .setExpirationTime('10m');
    const forged = await shared.sign(new Uint8Array(32));
    await expect(verify(forged)).rejects.toMatchObject(refused);
  });

  it('never speaks for our own users, nor ours for those of an issuer', async () => {
    const { verify, token, ours } = await trusted();
    await expect(verify(await ours.userToken())).resolves.toMatchObject({ sessionId: SESSION_ID });
    const claims = { iss: 'https://junction.example', sub: USER_ID, sid: SESSION_ID };
    await expect(verify(await token({ claims }))).rejects.toMatchObject(refused);
  });
});

describe('the keys of a trusted issuer', () => {
  it('go on serving while it is down, and the log says so', async () => {
    const { verify, token, down, passes, text } = await trusted();
    await verify(await token());
    down();
    passes(6 * MINUTE_MS);
    await expect(verify(await token())).resolves.toMatchObject({ issuerId: 'acme' });
    await until(() => text().includes('the last ones serve'));
  });

  it('are found at the first token; without the issuer that hears 503, and no 401', async () => {
    const { verify, token, down, up, passes } = await trusted();
    down();
    await expect(verify(await token())).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'keys_unavailable',
    });
    up();
    passes(MINUTE_MS);
    await expect(verify(await token())).resolves.toBeDefined();
  });

  it('are not read to the end of an endless list, nor again for each token', async () => {
    const { verify, token, addKey, passes, asked } = await trusted();
    await verify(await token());
    await addKey('f'.repeat(300_000));
    passes(6_000);
    const before = asked();
    for (let made = 0; made < 50; made++) {
      const unknown = verify(await token({ kid: `made-up-${made}` }));
      await expect(unknown).rejects.toMatchObject({ code: 'keys_unavailable' });
    }
    expect(asked() - before).toBe(2);
    await expect(verify(await token())).resolves.toBeDefined();
  });

  it('are not read again for each token of a key that never was', async () => {
    const { verify, token, asked } = await trusted();
    for (let made = 0; made < 50; made++) {
      const unknown = verify(await token({ kid: `made-up-${made}` }));
      await expect(unknown).rejects.toMatchObject(refused);
    }
    expect(asked()).toBe(2);
  });

  it('are read again beside the requests, so that a withdrawn one ends', async () => {
    const { verify, token, addKey, withdraw, passes, asked } = await trusted();
    await verify(await token());
    const before = asked();
    await verify(await token());
    expect(asked()).toBe(before);

    await addKey('f2');
    withdraw('f1');
    passes(6 * MINUTE_MS);
    await verify(await token());
    // The answer is taken up some moments after it was asked for.
    await eventually(async () => expect(verify(await token())).rejects.toMatchObject(refused));
    expect(asked()).toBeGreaterThan(before);
    await expect(verify(await token({ kid: 'f2' }))).resolves.toBeDefined();
  });

  it('are not taken from who describes another issuer', async () => {
    const { verify, token, describeAs } = await trusted();
    describeAs('https://other.example');
    await expect(verify(await token())).rejects.toMatchObject({ code: 'keys_unavailable' });
  });
});

async function trusted(settings: Partial<TrustedIssuer> = {}) {
  const [foreign, ours] = [await foreignIssuer(), await issuer()];
  let nowMs = 0;
  const { log, text } = readableLog();
  const keys = issuerKeys({ issuer: foreign.issuer, log, nowMs: () => nowMs });
  const own = tokenVerifier({
    keys: remoteKeys(ours.jwksUrl),
    issuer: 'https://junction.example',
    audience: 'junction-api',
    kind: 'user',
  });
  const all: TrustedIssuer = {
    id: 'acme',
    displayName: 'Acme',
    issuer: foreign.issuer,
    audience: 'junction-api',
    algorithms: ['RS256', 'ES256', 'EdDSA'],
    userIdClaim: undefined,
    requiredScopes: [],
    signIn: undefined,
    ...settings,
  };
  const verify = withForeignIssuers(own, [{ settings: all, keys }]);
  return { ...foreign, verify, ours, text, passes: (ms: number) => void (nowMs += ms) };
}
