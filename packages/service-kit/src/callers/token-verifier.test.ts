import { afterEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { ISSUER, issuer, SESSION_ID, type TokenShape, USER_ID } from '../../test/issuer.js';
import { closeOpened } from '../../test/loopback.js';
import { remoteKeys, tokenVerifier } from './token-verifier.js';

afterEach(closeOpened);

describe("a user's access token", () => {
  it('says who it is and for which session', async () => {
    const { userToken, verify } = await user();
    expect(await verify(await userToken({ claims: { scope: 'a b' } }))).toEqual({
      subject: USER_ID,
      sessionId: SESSION_ID,
      isOperator: false,
      isUnverified: false,
      scopes: ['a', 'b'],
      expiresAt: expect.any(Date),
    });
  });

  it('says that she is an operator, and no other role', async () => {
    const { userToken, verify } = await user();
    const roleIn = async (role: unknown) =>
      (await verify(await userToken({ claims: { role } }))).isOperator;
    expect(await roleIn('operator')).toBe(true);
    expect(await roleIn('Operator')).toBe(false);
  });

  it('says that the address is not verified, by a claim that is false and no other', async () => {
    const { userToken, verify } = await user();
    const isUnverified = async (email_verified: unknown) =>
      (await verify(await userToken({ claims: { email_verified } }))).isUnverified;
    expect(await isUnverified(false)).toBe(true);
    for (const claim of [true, undefined]) expect(await isUnverified(claim)).toBe(false);
  });

  it.each<[string, TokenShape]>([
    ['has expired', { expiresIn: Math.floor(Date.now() / 1_000) - 60 }],
    ['is for another audience', { audience: 'auth' }],
    ['comes from another issuer', { issuer: 'https://evil.example' }],
    ['is no access token', { typ: 'JWT' }],
    ['names a key that is not published', { kid: 'k9' }],
    ['belongs to a service', { claims: { client_id: 'cli_1' } }],
    ['belongs to no session', { claims: { sid: undefined } }],
  ])('is refused when it %s', async (_, shape) => {
    const { userToken, verify } = await user();
    await expect(verify(await userToken(shape))).rejects.toMatchObject({
      kind: 'unauthenticated',
      code: 'invalid_token',
    });
  });

  it('is refused when it is signed with anything but EdDSA', async () => {
    const { verify } = await user();
    const forged = await new SignJWT({ sub: USER_ID, sid: SESSION_ID })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'k1' })
      .setIssuer(ISSUER)
      .setAudience('junction-api')
      .setExpirationTime('10m')
      .sign(new Uint8Array(32));
    await expect(verify(forged)).rejects.toMatchObject({ code: 'invalid_token' });
    const [, claims] = forged.split('.');
    const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${claims}.`;
    await expect(verify(unsigned)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it.each(['', 'x', 'a.b.c', 'ey'.repeat(5_000)])(
    'is refused when it is none: %#',
    async (text) => {
      const { verify, requests } = await user();
      await expect(verify(text)).rejects.toMatchObject({ code: 'invalid_token' });
      expect(requests()).toBe(0);
    },
  );

  it('is never refused for keys that cannot be had: that is an outage', async () => {
    const { verify, userToken, break: breakIt } = await user();
    const token = await userToken();
    breakIt();
    await expect(verify(token)).rejects.toMatchObject({ kind: 'unavailable', retryAfterS: 5 });
  });

  it('costs one request for the keys, not one for each check', async () => {
    const { verify, userToken, requests } = await user();
    for (let i = 0; i < 5; i++) await verify(await userToken());
    expect(requests()).toBe(1);
  });
});

describe("a service's token", () => {
  it('says which client it is and what it may do', async () => {
    const { jwksUrl, serviceToken } = await issuer();
    expect(await serviceVerifier(jwksUrl)(await serviceToken())).toEqual({
      subject: 'cli_1',
      clientId: 'cli_1',
      isOperator: false,
      scopes: ['credentials:verify'],
      expiresAt: expect.any(Date),
    });
  });

  it('is not taken from a user, even with the right audience', async () => {
    const { jwksUrl, userToken } = await issuer();
    const token = await userToken({ audience: 'auth' });
    await expect(serviceVerifier(jwksUrl)(token)).rejects.toMatchObject({ code: 'invalid_token' });
  });
});

async function user() {
  const server = await issuer();
  const keys = remoteKeys(server.jwksUrl);
  const verify = tokenVerifier({ keys, issuer: ISSUER, audience: 'junction-api', kind: 'user' });
  return { ...server, verify };
}

const serviceVerifier = (jwksUrl: string) =>
  tokenVerifier({ keys: remoteKeys(jwksUrl), issuer: ISSUER, audience: 'auth', kind: 'service' });
