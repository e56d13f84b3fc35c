import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Listening, listening, wrongClaims } from '@junction/testing';
import { CompactSign, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { keysByAddress } from './keys-by-address.js';
import { securityEventVerifier } from './security-event-verifier.js';

const ISSUER = 'https://provider.example';
const NOW_S = 1_900_000_000;
const REVOKED = 'https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked';
const TOKEN_REVOKED = 'https://schemas.openid.net/secevent/oauth/event-type/token-revoked';
const SESSION = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked';
const ACCOUNT = { by: 'account', value: 'account-1' };
const SUBJECT = { format: 'iss_sub', iss: ISSUER, sub: 'account-1' };
const CLAIMS = {
  iss: ISSUER,
  aud: 'our-client',
  iat: NOW_S,
  jti: 'event-1',
  sub_id: SUBJECT,
  events: { [REVOKED]: {} },
};

const HASH = Buffer.alloc(64, 7);
const HASHED = {
  token_identifier_alg: 'hash_base64_sha512_sha512',
  token: HASH.toString('base64'),
};

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
const servers: Listening[] = [];
let lookedAtMs = 0;
let theirs: Key;
let another: Key;
let publicKey: JWK;
let verify: ReturnType<typeof securityEventVerifier>;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  theirs = pair.privateKey;
  another = (await generateKeyPair('ES256')).privateKey;
  publicKey = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' };
  verify = await published({ keys: [publicKey] });
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

describe('a security event token', () => {
  it('tells what happened, to which account and when', async () => {
    expect(await verify(await signed())).toEqual({
      jti: 'event-1',
      names: ['tokens-revoked'],
      subject: ACCOUNT,
      issuedAt: new Date(NOW_S * 1_000),
      happenedAt: new Date(NOW_S * 1_000),
    });
  });

  it('is taken for several audiences, as application/secevent+jwt, past its exp, five minutes ahead', async () => {
    const token = await signed(
      { aud: ['other', 'our-client'], exp: NOW_S - 60, iat: NOW_S + 300 },
      { typ: 'application/secevent+jwt' },
    );
    expect(await verify(token)).toMatchObject({ subject: ACCOUNT });
  });

  it.each([
    ['in its event, by a draft', { [REVOKED]: { subject: { subject_type: 'iss-sub', ...ids() } } }],
    ['as a complex one', { [SESSION]: { subject: { user: { format: 'iss_sub', ...ids() } } } }],
  ])('may name its subject %s', async (_, events) => {
    const token = await signed({ sub_id: undefined, events });
    expect(await verify(token)).toMatchObject({ subject: ACCOUNT });
  });

  it.each([
    ['of another issuer', { ...SUBJECT, iss: 'https://evil.example' }],
    ['that is an address', { format: 'email', email: 'ada@example.com' }],
    ['that Postgres could not take', { ...SUBJECT, sub: 'account-1\0' }],
    ['that is missing', undefined],
  ])('is about nobody we know with a subject %s', async (_, subject) => {
    const event = await verify(await signed({ sub_id: subject }));
    expect(event.subject).toBeUndefined();
  });

  it('may name a refresh token by its hash, or by how it begins, as Google does', async () => {
    expect(await aboutToken(HASHED)).toEqual({ by: 'token_hash', value: HASH });
    const begun = { token_identifier_alg: 'prefix', token: '1//0gExampleOfAR' };
    expect(await aboutToken(begun)).toEqual({ by: 'token_prefix', value: '1//0gExampleOfAR' });
  });

  it.each([
    ['by another algorithm', { token_identifier_alg: 'plain' }],
    ['by half a hash', { token: HASH.subarray(32).toString('base64') }],
    ['that is an access token', { token_type: 'access_token' }],
    ['that is missing', { token: undefined }],
  ])('does not name a token %s', async (_, changes) => {
    expect(await aboutToken({ ...HASHED, ...changes })).toBeUndefined();
  });

  it('is about the account when it tells of more than the token', async () => {
    const subject = { token_type: 'refresh_token', token_identifier_alg: 'prefix', token: 'rt' };
    const events = { [TOKEN_REVOKED]: { subject }, [REVOKED]: {} };
    expect(await verify(await signed({ events }))).toMatchObject({ subject: ACCOUNT });
  });

  it('happened when the provider says, but not after it was issued', async () => {
    const happened = async (claims: object) => (await verify(await signed(claims))).happenedAt;
    const earlier = new Date((NOW_S - 90) * 1_000);
    expect(await happened({ toe: NOW_S - 90 })).toEqual(earlier);
    const events = { [SESSION]: { event_timestamp: NOW_S - 90 } };
    expect(await happened({ events })).toEqual(earlier);
    expect(await happened({ toe: NOW_S + 90 })).toEqual(new Date(NOW_S * 1_000));
  });

  it('tells nothing when its kind is unknown', async () => {
    const events = { 'https://evil.example/event-type/tokens-revoked': {} };
    expect(await verify(await signed({ events }))).toMatchObject({ names: [] });
  });
});

describe('a token that is not good', () => {
  it.each([
    ['of another issuer', 'invalid_issuer', { iss: 'https://evil.example' }],
    ['for another client', 'invalid_audience', { aud: 'another-client' }],
    ['without audience', 'invalid_request', { aud: undefined }],
    ['without id', 'invalid_request', { jti: undefined }],
    ['without events', 'invalid_request', { events: {} }],
    ['without issue', 'invalid_request', { iat: undefined }],
    ['from the future', 'invalid_request', { iat: NOW_S + 301 }],
    ['from last month', 'invalid_request', { iat: NOW_S - 31 * 86_400 }],
  ])('%s is refused (%s)', async (_, err, claims) => {
    await expect(verify(await signed(claims))).rejects.toMatchObject({ err });
  });

  it.each(
    wrongClaims({
      iss: 'text',
      sub: 'text',
      aud: 'texts',
      iat: 'time',
      nbf: 'time',
      exp: 'time',
      jti: 'text',
      events: 'object',
    }),
  )('with %s is refused', async (_, wrong) => {
    await expect(verify(await signed(wrong))).rejects.toMatchObject({
      name: 'SecurityEventRefusal',
    });
  });

  it.each([
    ...wrongClaims({ typ: 'text', kid: 'text' }),
    ['typ in a list', { typ: ['secevent+jwt'] }] as const,
  ])('with %s is refused', async (_, wrong) => {
    await expect(verify(await signed({}, wrong))).rejects.toMatchObject({
      name: 'SecurityEventRefusal',
    });
  });

  it('signed by another key is refused', async () => {
    const forged = signed({}, {}, another);
    await expect(verify(await forged)).rejects.toMatchObject({ err: 'authentication_failed' });
    const unknown = signed({}, { kid: 'k2' }, another);
    await expect(verify(await unknown)).rejects.toMatchObject({ err: 'invalid_key' });
  });

  it('that was changed after it was signed is refused', async () => {
    const [header, , signature] = (await signed()).split('.');
    const claims = JSON.stringify({ ...CLAIMS, jti: 'event-2' });
    const faulty = [header, Buffer.from(claims).toString('base64url'), signature].join('.');
    await expect(verify(faulty)).rejects.toMatchObject({ err: 'authentication_failed' });
  });

  it('with another type, that of an access token for instance, is refused', async () => {
    for (const typ of ['JWT', 'at+jwt', 'secevent+jwt2']) {
      const token = await signed({}, { typ });
      await expect(verify(token)).rejects.toMatchObject({ err: 'invalid_request' });
    }
  });

  it('unsigned, or by a secret, is refused', async () => {
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
    const none = `${part({ alg: 'none', typ: 'secevent+jwt' })}.${part(CLAIMS)}.`;
    await expect(verify(none)).rejects.toMatchObject({ name: 'SecurityEventRefusal' });
    const byHmac = await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: 'HS256', typ: 'secevent+jwt', kid: 'k1' })
      .sign(new Uint8Array(32));
    await expect(verify(byHmac)).rejects.toMatchObject({ err: 'invalid_key' });
    await expect(verify('nonsense')).rejects.toMatchObject({ err: 'invalid_request' });
    await expect(verify('')).rejects.toMatchObject({ err: 'invalid_request' });
  });

  it('is good by any of several keys under one kid, and refused when it is by none', async () => {
    const other = { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), kid: 'k1' };
    for (const keys of [
      [publicKey, publicKey],
      [other, publicKey],
      [publicKey, { ...publicKey, x: 'odd' }],
    ]) {
      const several = await published({ keys });
      expect(await several(await signed())).toMatchObject({ jti: 'event-1' });
      await expect(several(await signed({}, {}, another))).rejects.toMatchObject({
        err: 'authentication_failed',
      });
    }
  });

  it('cannot be judged while the keys cannot be had', async () => {
    const away = await published(undefined);
    await expect(away(await signed())).rejects.toMatchObject({ code: 'keys_unavailable' });
  });

  it('under an unknown key is refused by keys that were fetched for it, and told to come again by older ones', async () => {
    const unknown = await signed({}, { kid: 'k2' });
    const first = await published({ keys: [publicKey] }, () => 0);
    await expect(first(unknown)).rejects.toMatchObject({ err: 'invalid_key' });
    let nowMs = 0;
    const second = await published({ keys: [publicKey] }, () => nowMs);
    await expect(second(await signed())).resolves.toMatchObject({ jti: 'event-1' });
    nowMs += 1;
    await expect(second(unknown)).rejects.toMatchObject({ code: 'keys_unavailable' });
  });
});

/**
 * Creates a verifier with keys as a server publishes them; undefined: it answers 503. Unless told otherwise a minute
 * passes with each look at the clock, so that newer keys can always be fetched.
 */
async function published(keys: object | undefined, nowMs = () => (lookedAtMs += 60_000)) {
  const server = createServer((_, res) =>
    res.writeHead(keys === undefined ? 503 : 200).end(JSON.stringify(keys ?? {})),
  );
  const listener = await listening(server);
  servers.push(listener);
  return verifierWith(keysByAddress({ log: { warn() {} }, nowMs })(`${listener.url}/jwks`));
}

const verifierWith = (keys: Parameters<typeof securityEventVerifier>[0]['keys']) =>
  securityEventVerifier({
    issuer: ISSUER,
    keys,
    clientId: 'our-client',
    subjectIssuer: ISSUER,
    nowMs: () => NOW_S * 1_000,
  });

async function aboutToken(names: object) {
  const subject = { subject_type: 'oauth_token', token_type: 'refresh_token', ...names };
  const events = { [TOKEN_REVOKED]: { subject } };
  return (await verify(await signed({ sub_id: undefined, events }))).subject;
}

function ids() {
  return { iss: ISSUER, sub: 'account-1' };
}

async function signed(claims: object = {}, header: object = {}, key: Key = theirs) {
  return new CompactSign(Buffer.from(JSON.stringify({ ...CLAIMS, ...claims })))
    .setProtectedHeader({ alg: 'ES256', typ: 'secevent+jwt', kid: 'k1', ...header })
    .sign(key);
}
