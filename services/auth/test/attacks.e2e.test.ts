import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { VAULT_KEYS } from '@junction/testing';
import { keyRing } from '@junction/vault';
import { exportSPKI, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { loadSigningKeys } from '../src/adapters/postgres/signing-key/signing-key-store.js';
import {
  newCredentials,
  OWN_PAGE,
  type Person,
  signUp,
  tokenFor,
  tokensOf,
} from './http-client.js';
import { PUBLIC_URL, useAuth } from './started-auth.js';

const CLOCK_TOLERANCE_S = 5;

const { auth, ask, database } = useAuth(() => ({
  TRUSTED_PROXIES: '192.0.2.254',
  LOGIN_LIMIT_PER_ACCOUNT: '3',
}));
let key: Awaited<ReturnType<typeof loadSigningKeys>>[number];
let person: Person;
beforeAll(async () => {
  const [first] = await loadSigningKeys(database().pool, keyRing(VAULT_KEYS));
  if (first === undefined) throw new Error('Auth has no signing key.');
  key = first;
  person = await signUp(ask);
});

const me = async (token: string) => (await ask('GET', '/api/auth/me', { token })).status;
const nowS = () => Math.floor(Date.now() / 1_000);

interface Forgery {
  readonly header?: Partial<JWTHeaderParameters>;
  readonly claims?: JWTPayload;
  readonly signWith?: Parameters<SignJWT['sign']>[0];
}

/** Makes the token that auth itself would sign for the person, except for the forger's changes. */
const forge = ({ header = {}, claims = {}, signWith = key.privateKey }: Forgery = {}) =>
  new SignJWT({
    iss: PUBLIC_URL,
    aud: 'junction-api',
    sub: person.id,
    sid: person.sessionId,
    iat: nowS(),
    exp: nowS() + 600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: key.kid, ...header })
    .sign(signWith, { crit: { unknown: true } });

const withoutSignature = (token: string, alg: string) => {
  const header = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt', kid: key.kid }));
  return `${header.toString('base64url')}.${token.split('.')[1]}.`;
};

describe('an access token', () => {
  it('is accepted when it is unchanged, so each refusal below is about its own change', async () => {
    expect(await me(await forge())).toBe(200);
  });

  it('without a signature is refused, however "none" is spelled', async () => {
    const good = await forge();
    for (const alg of ['none', 'None', 'NONE', 'EdDSA', '']) {
      expect([alg, await me(withoutSignature(good, alg))]).toEqual([alg, 401]);
    }
  });

  it('signed by HS256 with the public key for a secret is refused', async () => {
    const secrets = [
      await exportSPKI(key.publicKey),
      JSON.stringify(key.publicJwk),
      String(key.publicJwk.x),
    ].map((text) => Buffer.from(text));
    secrets.push(Buffer.from(String(key.publicJwk.x), 'base64url'));
    for (const signWith of secrets) {
      expect(await me(await forge({ header: { alg: 'HS256' }, signWith }))).toBe(401);
    }
  });

  it.each<[string, Forgery['header']]>([
    ['a path', { kid: '../../../../dev/null' }],
    ['SQL', { kid: "' union select 'x" }],
    ['a URL', { kid: 'http://127.0.0.1:9/jwks.json' }],
    ['a key that nobody has', { kid: 'k9' }],
    ['no text', { kid: 1 as unknown as string }],
  ])('whose kid is %s is refused', async (_, header) => {
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(await me(await forge({ header: header ?? {}, signWith: privateKey }))).toBe(401);
    expect(await me(await forge({ header: header ?? {} }))).toBe(401);
  });

  it('that brings the key it is signed with, or says where it lies, is refused', async () => {
    const pair = generateKeyPairSync('ed25519');
    const jwk = pair.publicKey.export({ format: 'jwk' }) as JsonWebKey & { kty: string };
    const jku = 'http://127.0.0.1:9/jwks.json';
    for (const header of [{ jwk }, { jku }, { x5u: jku }, { jwk, kid: 'mine' }]) {
      expect(await me(await forge({ header, signWith: pair.privateKey }))).toBe(401);
    }
  });

  it.each<[string, () => Forgery]>([
    ['is for another audience', () => ({ claims: { aud: 'integrations' } })],
    ['is for no audience', () => ({ claims: { aud: [] } })],
    ['is from another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['has a slash after its issuer', () => ({ claims: { iss: `${PUBLIC_URL}/` } })],
    ['is of another type', () => ({ header: { typ: 'JWT' } })],
    ['is of no type', () => ({ header: { typ: undefined as unknown as string } })],
    ['expired a second ago', () => ({ claims: { exp: nowS() - CLOCK_TOLERANCE_S - 1 } })],
    ['never ends', () => ({ claims: { exp: undefined as unknown as number } })],
    ['begins later', () => ({ claims: { nbf: nowS() + 60 } })],
    ['names no session', () => ({ claims: { sid: undefined } })],
    ['says it is of a service', () => ({ claims: { client_id: 'cli_worker' } })],
    // RFC 7515 section 4.1.11: a critical extension that nobody knows makes a token void.
    ['has an unknown extension', () => ({ header: { crit: ['unknown'], unknown: true } })],
  ])('that %s is refused although its key is the right one', async (_, forgery) => {
    expect(await me(await forge(forgery()))).toBe(401);
  });

  it('of a service is not a user’s, and a user’s is not a client’s', async () => {
    expect(await me(await tokenFor(ask, auth().worker, 'integrations'))).toBe(401);
    const refused = await ask('POST', '/oauth/token', {
      token: person.accessToken,
      text: 'grant_type=client_credentials&audience=integrations',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(refused.status).toBe(401);
  });

  it('is not taken from the query string, and neither is an API key', async () => {
    const made = await ask('POST', '/api/auth/api-keys', {
      token: person.accessToken,
      json: { name: 'laptop' },
    });
    const { key: apiKey } = made.body as { key: string };
    expect(await me(apiKey)).toBe(200);
    for (const secret of [person.accessToken, apiKey, person.refreshToken]) {
      for (const name of ['access_token', 'token', 'api_key', 'key', 'authorization']) {
        expect((await ask('GET', `/api/auth/me?${name}=${secret}`)).status).toBe(401);
      }
    }
    expect(auth().logs()).not.toContain(apiKey);
    expect(auth().logs()).not.toContain(person.refreshToken);
    expect(auth().logs()).not.toContain(person.accessToken);
  });
});

describe('a refresh token', () => {
  it('gives twenty who use it at the same moment one successor', async () => {
    const { refreshToken: refresh_token } = await signUp(ask);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        ask('POST', '/api/auth/refresh', { json: { refresh_token } }),
      ),
    );
    const successors = answers.flatMap(({ status, body }) =>
      status === 200 ? [tokensOf(body).refreshToken] : [],
    );
    expect(successors.length).toBeGreaterThan(0);
    expect(new Set(successors).size).toBe(1);
    expect(successors).not.toContain(refresh_token);
  });
});

describe('a browser', () => {
  it('gets cookies of its own at sign-in, whatever somebody planted before', async () => {
    const { email, password, id } = await signUp(ask);
    const planted = `__Host-jn_at=${person.accessToken}; __Secure-jn_rt=${person.refreshToken}`;
    const answer = await ask('POST', '/api/auth/session', {
      json: { email, password },
      headers: { ...OWN_PAGE, cookie: planted },
    });
    expect(answer).toMatchObject({ status: 200, body: { user_id: id } });
    const cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    expect(cookie).not.toContain(person.accessToken);
    expect(cookie).not.toContain(person.refreshToken);
    const mine = await ask('GET', '/api/auth/me', { headers: { cookie } });
    expect(mine.body).toMatchObject({ user: { id } });
    const { accessToken } = person;
    const theirs = await ask('GET', '/api/auth/me', { token: accessToken });
    expect(theirs.body).toMatchObject({ user: { id: person.id } });
  });
});

describe('X-Forwarded-For', () => {
  it('of somebody who is no proxy of ours does not make tries at a password free', async () => {
    const { email } = await signUp(ask);
    const tries: number[] = [];
    for (let n = 1; n <= 5; n++) {
      const json = { email, password: newCredentials().password };
      const headers = { 'x-forwarded-for': `203.0.113.${n}` };
      tries.push((await ask('POST', '/api/auth/login', { json, headers })).status);
    }
    expect(tries).toEqual([401, 401, 401, 429, 429]);
  });
});
