import { describe, expect, it } from '@jest/globals';
import { wrongClaims } from '@junction/testing';
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import { clientAssertions } from './client-assertions.js';

const ISSUER = 'https://junction.example';
const NOW_S = 1_900_000_000;
const CLAIMS = {
  iss: 'cli_1',
  sub: 'cli_1',
  aud: ISSUER,
  exp: NOW_S + 60,
  iat: NOW_S,
  jti: 'assertion-1',
};
const TEXTS = { iss: 'text', sub: 'text', jti: 'text' } as const;
const OTHERS = { aud: 'texts', exp: 'time', nbf: 'time', iat: 'time' } as const;

const pair = generateKeyPair('EdDSA', { crv: 'Ed25519' });
const assertions = clientAssertions({ publicUrl: ISSUER, now: () => new Date(NOW_S * 1_000) });

describe('an assertion that its client has signed', () => {
  it('is taken', async () => {
    const { outcome } = await shown({});
    expect(outcome).toMatchObject({ clientId: 'cli_1', jti: 'assertion-1' });
  });

  it.each(wrongClaims({ ...TEXTS, ...OTHERS }))('is refused with %s', async (_, wrong) => {
    expect((await shown(wrong)).outcome).toBeUndefined();
  });

  it.each([
    ['for somebody else', { aud: 'https://elsewhere.example' }],
    ['that is over', { exp: NOW_S - 10 }],
    ['that lives for more than five minutes', { exp: NOW_S + 320 }],
    ['without a jti', { jti: undefined }],
    ['without an end', { exp: undefined }],
    ['that is not yet valid', { nbf: NOW_S + 60 }],
  ])('is refused when it is one %s', async (_, wrong) => {
    expect((await shown(wrong)).outcome).toBeUndefined();
  });

  it('is refused when another key, a shared secret or nobody has signed it', async () => {
    const { publicKey } = await pair;
    const other = await generateKeyPair('EdDSA');
    expect((await shown({}, {}, other.privateKey)).outcome).toBeUndefined();
    // Key confusion: the public key as the secret of an HMAC.
    const shared = Buffer.from(JSON.stringify(await exportJWK(publicKey)));
    expect((await shown({}, { alg: 'HS256' }, shared)).outcome).toBeUndefined();
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
    expect(await verified(`${part({ alg: 'none' })}.${part(CLAIMS)}.`)).toBeUndefined();
    expect(await verified('no jwt')).toBeUndefined();
  });

  it.each(wrongClaims({ typ: 'text', kid: 'text' }))('is refused with %s', async (_, wrong) => {
    expect((await shown({}, wrong)).outcome).toBeUndefined();
  });

  it.each(wrongClaims({ id: 'text' }))('names no client by %s', async (_, { id }) => {
    const { jwt } = await shown({ iss: id, sub: id });
    expect(assertions.claimedClientId(jwt)).toBeUndefined();
  });
});

async function shown(claims: object, header: object = {}, key?: CryptoKey | Uint8Array) {
  const jwt = await new CompactSign(Buffer.from(JSON.stringify({ ...CLAIMS, ...claims })))
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', ...header })
    .sign(key ?? (await pair).privateKey);
  return { jwt, outcome: await verified(jwt) };
}

async function verified(jwt: string) {
  const { publicKey } = await pair;
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'EdDSA' }] };
  return assertions.verify(jwt, { clientId: 'cli_1', jwks });
}
