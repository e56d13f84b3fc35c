import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { errors, generateKeyPair, type JWTPayload, type JWTVerifyGetKey, SignJWT } from 'jose';
import { ISSUER, issuer, SESSION_ID, type TokenShape, USER_ID } from '../../test/issuer.js';
import { closeOpened, until } from '../../test/loopback.js';
import { tokenFault } from '../errors/token-fault.js';
import { remoteKeys, reportingOutages, scopesOf, tokenVerifier } from './token-verifier.js';

afterEach(closeOpened);

const MINUTE_MS = 60_000;

const WHOLE = { sub: USER_ID, sid: SESSION_ID, exp: 4_000_000_000 };

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

  it('says when it ends, when the user signed in, and when they showed a second factor', async () => {
    const { userToken, verify } = await user();
    const claims = { auth_time: 1_900_000_000, mfa_at: 1_900_000_060 };
    expect(await verify(await userToken({ expiresIn: 4_000_000_000, claims }))).toMatchObject({
      expiresAt: new Date(4_000_000_000_000),
      authenticatedAt: new Date(1_900_000_000_000),
      mfaAt: new Date(1_900_000_060_000),
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
    ['has more characters than any that is issued', { claims: { scope: 'a '.repeat(2_500) } }],
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

  it.each([
    ['is signed with ES256 by a published key', 'ES256', WHOLE],
    ['is signed with RS256 by a published key', 'RS256', WHOLE],
    ['belongs to nobody', 'EdDSA', { sid: SESSION_ID, exp: WHOLE.exp }],
    ['never ends', 'EdDSA', { sub: USER_ID, sid: SESSION_ID }],
  ])('is refused when it %s', async (_, alg, claims) => {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    const sign = (payload: JWTPayload) =>
      new SignJWT(payload)
        .setProtectedHeader({ alg, typ: 'at+jwt' })
        .setIssuer(ISSUER)
        .setAudience('junction-api')
        .sign(privateKey);
    const verify = userVerifier(async () => publicKey);
    await expect(verify(await sign(claims))).rejects.toMatchObject({ code: 'invalid_token' });
    if (alg === 'EdDSA') await expect(verify(await sign(WHOLE))).resolves.toBeDefined();
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

describe('the reason why a token was refused', () => {
  it.each<[string, TokenShape, RegExp]>([
    ['expired', { expiresIn: Math.floor(Date.now() / 1_000) - 60 }, /has expired/],
    ['other_audience', { audience: 'auth' }, /is not valid/],
    ['invalid_token', { issuer: 'https://evil.example' }, /is not valid/],
    ['invalid_token', { typ: 'JWT' }, /is not valid/],
    ['invalid_token', { claims: { scope: 'a '.repeat(2_500) } }, /is not valid/],
  ])('is %s for the log; the sender is told of an expiry alone: %#', async (fault, shape, told) => {
    const { userToken, verify } = await user();
    const refusal = await refusalOf(verify(await userToken(shape)));
    expect(tokenFault(refusal)).toBe(fault);
    expect(refusal.message).toMatch(told);
  });

  it.each([
    ['invalid_token', new errors.JWKSNoMatchingKey()],
    ['invalid_token', new errors.JWKSMultipleMatchingKeys()],
    ['invalid_token', new errors.JOSENotSupported()],
    ['keys_unavailable', new errors.JWKSTimeout()],
    ['keys_unavailable', new Error('ECONNREFUSED')],
  ])('is %s when the lookup of its key fails: %p', async (code, cause) => {
    const keys = reportingOutages(async () => {
      throw cause;
    });
    const lookup = keys({ alg: 'EdDSA' }, { payload: '', signature: '' });
    await expect(lookup).rejects.toMatchObject({ code, cause });
  });
});

describe('the scopes of a token', () => {
  it.each([
    [undefined, []],
    ['', []],
    [' a  b ', ['a', 'b']],
  ])('are the words of %j', (scope, words) => {
    expect(scopesOf(scope)).toEqual(words);
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

describe('a token that is checked twice', () => {
  it.each([
    ['user', 2],
    ['portal', 2],
    ['service', 1],
  ] as const)('needs its key, for kind %s, %i times', async (kind, times) => {
    const { jwksUrl, userToken, portalToken, serviceToken } = await issuer();
    const published = remoteKeys(jwksUrl);
    let lookups = 0;
    const keys: JWTVerifyGetKey = async (header, token) => {
      lookups += 1;
      return published(header, token);
    };
    const audience = 'junction-api';
    const verify = tokenVerifier({ keys, issuer: ISSUER, audience, kind });
    const sign = { user: userToken, portal: portalToken.bind(null, 'a'), service: serviceToken };
    const token = await sign[kind]({ audience });
    await verify(token);
    await verify(token);
    expect(lookups).toBe(times);
  });
});

describe('the keys of auth', () => {
  it('serve on for ten minutes beyond their five without auth, and no longer', async () => {
    const { jwksUrl, userToken, break: goes, requests } = await issuer();
    let nowMs = 0;
    const verify = userVerifier(remoteKeys(jwksUrl, { nowMs: () => nowMs }));
    const check = async () => verify(await userToken());
    await check();
    goes();
    nowMs += 15 * MINUTE_MS - 1;
    await check();
    await until(() => requests() === 2);
    nowMs += 1;
    await expect(check()).rejects.toMatchObject({ code: 'keys_unavailable' });
  });

  it('are not read again for each token of a key that never was', async () => {
    const { jwksUrl, userToken, requests } = await issuer();
    const verify = userVerifier(remoteKeys(jwksUrl));
    for (let made = 0; made < 50; made++) {
      const unknown = verify(await userToken({ kid: `made-up-${made}` }));
      await expect(unknown).rejects.toMatchObject({ code: 'invalid_token' });
    }
    expect(requests()).toBe(1);
  });
});

async function user() {
  const server = await issuer();
  return { ...server, verify: userVerifier(remoteKeys(server.jwksUrl)) };
}

const userVerifier = (keys: JWTVerifyGetKey) =>
  tokenVerifier({ keys, issuer: ISSUER, audience: 'junction-api', kind: 'user' });

async function refusalOf(verified: Promise<unknown>): Promise<AppError> {
  const error: unknown = await verified.catch((refusal: unknown) => refusal);
  if (error instanceof AppError) return error;
  throw new Error('The token was not refused.');
}

const serviceVerifier = (jwksUrl: string) =>
  tokenVerifier({ keys: remoteKeys(jwksUrl), issuer: ISSUER, audience: 'auth', kind: 'service' });
