import { describe, expect, it } from '@jest/globals';
import { decodeJwt, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import { accessTokens } from './access-tokens.js';
import { type SigningKey, signingKeys } from './signing-keys.js';

const NOW = new Date('2030-01-02T03:04:05.678Z');
const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);

const USER = { userId: 'u-1', sessionId: 'ses_1', role: 'user', isUnverified: false } as const;

describe('an access token', () => {
  it('says who, in which session, for whom, by whom and until when', async () => {
    const keys = await signingKeys(
      async () => [await key('a')],
      () => NOW,
    );
    const token = await tokensOf(keys).forUser(USER);

    const { payload, protectedHeader } = await jwtVerify(token, keys.verificationKey, {
      currentDate: NOW,
    });
    const iat = Math.floor(NOW.getTime() / 1_000);
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: 'a' });
    expect(payload).toEqual({
      iss: 'https://junction.example',
      aud: 'junction-api',
      sub: 'u-1',
      sid: 'ses_1',
      jti: expect.any(String),
      iat,
      exp: iat + 600,
    });
  });

  it('says that the address of its user is not verified where that is required, and only then', async () => {
    const keys = await signingKeys(
      async () => [await key('a')],
      () => NOW,
    );
    const claimOf = async (requireVerifiedEmail: boolean, isUnverified: boolean) => {
      const token = await tokensOf(keys, requireVerifiedEmail).forUser({ ...USER, isUnverified });
      return decodeJwt(token)['email_verified'];
    };
    expect(await claimOf(true, true)).toBe(false);
    expect(await claimOf(true, false)).toBeUndefined();
    expect(await claimOf(false, true)).toBeUndefined();
  });

  it('for a service names the client and its scopes, and no session', async () => {
    const keys = await signingKeys(
      async () => [await key('a')],
      () => NOW,
    );
    const token = await tokensOf(keys).forService({
      clientId: 'cli_worker',
      audience: 'integrations',
      scopes: ['tokens:read', 'ops:read'],
    });

    const { payload } = await jwtVerify(token, keys.verificationKey, { currentDate: NOW });
    expect(payload).toMatchObject({
      aud: 'integrations',
      sub: 'cli_worker',
      client_id: 'cli_worker',
      scope: 'tokens:read ops:read',
    });
    expect(payload).not.toHaveProperty('sid');
  });
});

describe('a rotation of signing keys', () => {
  it('publishes the next key before it signs, and the last one after it signed', async () => {
    const stored = await Promise.all([
      key('gone', { signsFrom: minutes(-90), publishedUntil: minutes(-1) }),
      key('last', { signsFrom: minutes(-60), publishedUntil: minutes(20) }),
      key('current', { signsFrom: minutes(-5) }),
      key('next', { signsFrom: minutes(30) }),
    ]);
    const keys = await signingKeys(
      async () => stored,
      () => NOW,
    );

    expect(keys.current().kid).toBe('current');
    expect(keys.published().keys.map(({ kid }) => kid)).toEqual(['last', 'current', 'next']);
    const header = { alg: 'EdDSA', kid: 'gone' };
    await expect(async () =>
      keys.verificationKey(header, { payload: '', signature: '' }),
    ).rejects.toThrow(expect.objectContaining({ code: 'ERR_JWKS_NO_MATCHING_KEY' }));
  });

  it('reaches a running process when it reads the keys again', async () => {
    const stored = [await key('old', { signsFrom: minutes(-60) })];
    const keys = await signingKeys(
      async () => [...stored],
      () => NOW,
    );
    stored.push(await key('new', { signsFrom: minutes(-1) }));

    expect(keys.current().kid).toBe('old');
    await keys.reload();
    expect(keys.current().kid).toBe('new');
  });

  it('never publishes a private half', async () => {
    const keys = await signingKeys(
      async () => [await key('a')],
      () => NOW,
    );
    expect(keys.published().keys[0]).not.toHaveProperty('d');
  });
});

const tokensOf = (keys: Awaited<ReturnType<typeof signingKeys>>, requireVerifiedEmail = false) =>
  accessTokens({
    keys,
    publicUrl: 'https://junction.example',
    accessTokenTtlS: 600,
    now: () => NOW,
    requireVerifiedEmail,
  });

async function key(kid: string, times: Partial<SigningKey> = {}): Promise<SigningKey> {
  const pair = await generateKeyPair('EdDSA');
  return {
    kid,
    publicJwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'EdDSA', use: 'sig' },
    publicKey: pair.publicKey,
    privateKey: pair.privateKey,
    signsFrom: minutes(-1),
    publishedUntil: undefined,
    ...times,
  };
}
