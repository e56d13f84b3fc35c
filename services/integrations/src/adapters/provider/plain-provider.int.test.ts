import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { wrongClaims } from '@junction/testing';
import {
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { mailboxAt, notLate } from '../../../test/on-provider.js';
import {
  type RecordedProvider,
  startRecordedProvider,
  type TokenAnswer,
} from '../../../test/recorded-provider.js';
import type { OAuthProvider } from '../../application/oauth-provider.js';
import { clientKeyIn } from './client-key.js';
import type { OAuthProviderOptions } from './oauth-provider.js';
import type { ProviderSettings } from './provider-settings.js';

const ISSUER = 'https://provider.example';
const CLIENT_ID = 'c-app.1';
const SECRET = 'Secr-et_1.2~3';
const NONCE = 'nonce';
const REQUEST = { state: 'state', nonce: NONCE, verifier: 'v'.repeat(43), userId: 'u1' };

const described: Record<string, unknown> = {};
let recorded: RecordedProvider;

beforeAll(async () => {
  const descriptions = { '/.well-known/openid-configuration': described };
  recorded = await startRecordedProvider({ origins: [ISSUER], descriptions, jwksPath: '/jwks' });
});
beforeEach(() => {
  recorded.publish();
  for (const name of Object.keys(described)) delete described[name];
  Object.assign(described, {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/auth`,
    token_endpoint: `${ISSUER}/token`,
    jwks_uri: `${ISSUER}/jwks`,
  });
});
afterAll(async () => recorded?.close());

describe('our client proves itself', () => {
  const listing = (...methods: readonly string[]) => {
    described['token_endpoint_auth_methods_supported'] = methods;
  };
  const [asBasic, asPost] = [
    `Basic ${Buffer.from(`${CLIENT_ID}:${SECRET}`).toString('base64')}`,
    { client_id: CLIENT_ID, client_secret: SECRET },
  ];
  const clientPem = pem();
  const clientKey = clientKeyIn(clientPem);

  it.each([
    ['in Basic where nothing is listed', undefined, {}, asBasic, {}],
    ['in Basic where it alone is listed', ['client_secret_basic'], {}, asBasic, {}],
    ['in the form where both are', ['client_secret_basic', 'client_secret_post'], {}, null, asPost],
    [
      'as the settings say, whatever is listed',
      ['client_secret_post'],
      { authMethod: 'client_secret_basic' },
      asBasic,
      {},
    ],
    [
      'by its secret where it has a key besides and both are taken',
      ['private_key_jwt', 'client_secret_post'],
      { clientKey },
      null,
      asPost,
    ],
  ] as const)('%s', async (_, methods, settings, header, fields) => {
    if (methods) listing(...methods);
    await exchange(settings);
    expect(recorded.authorizations.at(-1) ?? null).toBe(header);
    const { client_id, client_secret } = Object.fromEntries(recorded.asked.at(-1) ?? []);
    expect({ client_id, client_secret }).toEqual(fields);
  });

  it.each([
    ['nothing but that is listed', ['private_key_jwt'], { clientKey }],
    ['it has no secret', undefined, { clientKey, clientSecret: undefined }],
    ['the settings say so', ['client_secret_post'], { clientKey, authMethod: 'private_key_jwt' }],
  ] as const)('by a signed assertion where %s', async (_, methods, settings) => {
    if (methods) listing(...methods);
    await exchange(settings);
    const form = recorded.asked.at(-1);
    expect(recorded.authorizations.at(-1)).toBeUndefined();
    expect(form?.has('client_secret')).toBe(false);
    expect(form?.get('client_assertion_type')).toBe(
      'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    );
    const { payload } = await jwtVerify(
      form?.get('client_assertion') ?? '',
      createPublicKey(clientPem),
      {
        audience: ISSUER,
        issuer: CLIENT_ID,
        subject: CLIENT_ID,
        algorithms: ['ES256'],
      },
    );
    expect(payload.jti).toEqual(expect.any(String));
    expect((payload.exp ?? 0) - Date.now() / 1_000).toBeLessThanOrEqual(60);
  });
});

describe('a set of keys', () => {
  it.each([
    ['holds the same key twice', ([a]) => [a, a]],
    [
      'holds no kid',
      ([a]) => [
        { ...a, kid: undefined },
        { ...a, kid: undefined },
      ],
    ],
    ['has a key that lacks its members', ([a]) => [{ kty: 'RSA', kid: a?.kid }, { kid: 'x' }, a]],
    ['holds what is no key', ([a]) => [null, 'key', 7, [], a]],
    ['says null of a key', ([a]) => [{ ...a, use: null, alg: null, key_ops: null, x5c: null }]],
    ['has a key of another kind under the kid', ([a]) => [{ kty: 'oct', kid: a?.kid, k: 'aa' }, a]],
  ] as readonly [string, Publish][])('that %s has the one that signed', async (_, publish) => {
    recorded.publish(publish);
    expect((await exchange()).accountId).toBe('ada');
  });

  it('that has another key under the same kid has the one that signed', async () => {
    const { publicKey } = await generateKeyPair('RS256');
    const other = await exportJWK(publicKey);
    recorded.publish(([a]) => [{ ...a, ...other }, a]);
    expect((await exchange()).accountId).toBe('ada');
    recorded.publish(([a]) => [a, { ...a, ...other }]);
    expect((await exchange()).accountId).toBe('ada');
  });

  it.each([
    ['another key under the kid', 'malformed_answer', true],
    ['no key that fits', 'unknown_signing_key', false],
  ])('that has %s alone connects nothing', async (_, reason, isSameKid) => {
    const { publicKey } = await generateKeyPair('RS256');
    const other = await exportJWK(publicKey);
    recorded.publish(([a]) => [{ ...a, ...other, ...(!isSameKid && { kid: 'other' }) }]);
    await expect(exchange({}, tokens(), { keysWithinMs: 0 })).rejects.toMatchObject({
      failure: 'unavailable',
      reason,
      recovered: { refreshToken: 'rt' },
    });
  });
});

describe('a description that says null', () => {
  it('is read as if it said nothing', async () => {
    Object.assign(described, {
      token_endpoint_auth_methods_supported: null,
      code_challenge_methods_supported: null,
      id_token_signing_alg_values_supported: null,
      authorization_response_iss_parameter_supported: null,
      revocation_endpoint: null,
      introspection_endpoint: null,
    });
    expect((await exchange()).accountId).toBe('ada');
    await expect(plain().revoke({ token: 'rt', hint: 'refresh_token' })).rejects.toMatchObject({
      reason: 'no_revocation_endpoint',
    });
  });

  it('cannot be used without an endpoint that every connect needs', async () => {
    described['jwks_uri'] = null;
    const asked = plain().authorizationUrl(REQUEST);
    await expect(asked).rejects.toMatchObject({ reason: 'no_jwks_uri', sent: false });
  });
});

describe('an answer in a form', () => {
  it('brings tokens as one in JSON does', async () => {
    const body = { access_token: 'at +&=', refresh_token: 'rt', token_type: 'bearer' };
    const scope = 'mailbox.readonly,mailbox.send';
    const answer = { ...tokens(), body: { ...body, scope, expires_in: 600 }, isForm: true };
    const grant = await exchange({}, answer);
    expect(grant).toMatchObject({
      accessToken: 'at +&=',
      refreshToken: 'rt',
      accountId: 'ada',
      scopes: { grantedScopes: ['mailbox.readonly', 'mailbox.send'] },
    });
    expect(grant.expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);

    recorded.answer({ body, isForm: true });
    expect(await plain().refresh('rt', notLate)).toMatchObject({ refreshToken: 'rt' });
  });
});

describe('an answer in words of its own', () => {
  it('says the same to a connect and to a refresh', async () => {
    const body = {
      ...BODY,
      token_type: 'BearerToken',
      expires_in: 600_000,
      scope: ['mailbox.readonly', 'mailbox.send'],
    };
    const grant = await exchange({}, { ...tokens(), body });
    recorded.answer({ body });
    const refreshed = await plain().refresh('rt', notLate);
    for (const { scopes, expiresAt } of [grant, refreshed]) {
      expect(scopes?.grantedScopes).toEqual(['mailbox.readonly', 'mailbox.send']);
      expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 600_000);
    }
  });
});

describe('the id_token of a refresh', () => {
  it.each([
    ['names the account', { iss: ISSUER, sub: 'eve' }, 'eve'],
    ['names nobody', { iss: ISSUER, sub: 7 }, undefined],
  ])('(%s) says whose the tokens are', async (_, idToken, accountId) => {
    recorded.answer({ ...tokens(), idToken: idToken as JWTPayload });
    expect((await plain().refresh('rt', notLate)).accountId).toBe(accountId);
  });

  it.each([undefined, 'odd', 'a.b.c', 7])('(%j) may say nothing', async (id_token) => {
    recorded.answer({ body: { ...BODY, id_token } });
    expect(await plain().refresh('rt', notLate)).toMatchObject({
      accessToken: 'at',
      accountId: undefined,
    });
  });
});

describe('a genuine id_token', () => {
  it.each(wrongClaims({ iss: 'text', sub: 'text', aud: 'texts', iat: 'time' }))(
    'with %s connects nothing',
    async (_, wrong) => {
      const answer = tokens();
      const idToken = { ...answer.idToken, ...wrong };
      await expect(exchange({}, { ...answer, idToken })).rejects.toMatchObject({
        failure: expect.stringMatching(/^(?:unavailable|refused)$/),
      });
    },
  );
});

describe('the audience of an id_token', () => {
  const OTHER = 'another-client';

  it.each([
    ['us alone, issued to another', CLIENT_ID, OTHER],
    ['us in a list', [CLIENT_ID], undefined],
    ['us and others, without azp', [OTHER, CLIENT_ID], undefined],
    ['us and others, issued to us', [CLIENT_ID, OTHER], CLIENT_ID],
  ])('may be %s', async (_, aud, azp) => {
    const { idToken, ...answer } = tokens();
    const granted = exchange({}, { ...answer, idToken: { ...idToken, aud, azp } });
    expect(await granted).toMatchObject({ accountId: 'ada' });
  });

  it.each([
    ['another alone', OTHER, undefined],
    ['another alone, though issued to us', OTHER, CLIENT_ID],
    ['others without us', [OTHER, 'c'], undefined],
    ['us and others, issued to another of them', [CLIENT_ID, OTHER], OTHER],
    ['us and others, issued to nothing that can be', [CLIENT_ID, OTHER], [CLIENT_ID]],
    ['nobody', [], CLIENT_ID],
  ])('may not be %s', async (_, aud, azp) => {
    const { idToken, ...answer } = tokens();
    const wrong = { ...idToken, aud, azp } as JWTPayload;
    await expect(exchange({}, { ...answer, idToken: wrong })).rejects.toMatchObject({
      failure: 'refused',
      reason: 'foreign_id_token',
    });
  });
});

describe('an id_token by an algorithm that its provider does not promise', () => {
  const claims = { iss: ISSUER, aud: CLIENT_ID, sub: 'ada', nonce: NONCE };
  const answered = (id_token: string): TokenAnswer => ({ body: { ...BODY, id_token } });
  const byHmac = async (secret: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(Buffer.from(secret));

  beforeEach(() => {
    described['id_token_signing_alg_values_supported'] = ['ES256'];
  });

  it('is taken when a published key, or our client secret, signed it', async () => {
    expect(await exchange()).toMatchObject({ accountId: 'ada' });
    const answer = answered(await byHmac(SECRET));
    expect(await exchange({}, answer)).toMatchObject({ accountId: 'ada' });
  });

  it.each([
    ['another secret', {}, async () => byHmac('another'), 'malformed_answer'],
    [
      'a secret that we do not have',
      { clientSecret: undefined, clientKey: clientKeyIn(pem()) },
      async () => byHmac(''.padEnd(32)),
      'unsupported_id_token_alg',
    ],
    [
      'nobody',
      {},
      async () => new UnsecuredJWT(claims).setIssuedAt().setExpirationTime('5m').encode(),
      'unsupported_id_token_alg',
    ],
  ] as const)('is not taken when %s signed it', async (_, settings, idToken, reason) => {
    const refused = exchange(settings, answered(await idToken()));
    await expect(refused).rejects.toMatchObject({ failure: 'unavailable', reason });
  });

  it('is not asked for where none that is promised can be checked', async () => {
    described['id_token_signing_alg_values_supported'] = ['none', 'ES256K'];
    const asked = plain().authorizationUrl(REQUEST);
    await expect(asked).rejects.toMatchObject({ reason: 'unsupported_id_token_alg', sent: false });
  });
});

describe('an account is shown', () => {
  it.each([
    ['by its address', { email: 'a@b', emails: ['c@d'], upn: 'u', preferred_username: 'p' }, 'a@b'],
    ['by the first of several addresses', { emails: ['', 'c@d', 'e@f'], upn: 'u' }, 'c@d'],
    ['by the name it signs in with', { email: ' ', upn: 'u', preferred_username: 'p' }, 'u'],
    ['by the name it likes', { email: 7, emails: [7], preferred_username: 'p' }, 'p'],
    ['by its subject, without a name', { email: null, emails: {}, upn: '\0' }, 'ada'],
    [
      'on one line, without what turns or controls it',
      { email: 'ada\r\n\u202e@evil.example\u2066\u0007' },
      'ada @evil.example',
    ],
    ['by its sub where its email shows nothing', { email: '\u202e\n' }, 'ada'],
  ])('%s', async (_, claims, account) => {
    const answer = tokens();
    const idToken = { ...answer.idToken, ...claims } as JWTPayload;
    expect(await exchange({}, { ...answer, idToken })).toMatchObject({ account, accountId: 'ada' });
  });
});

type Publish = Parameters<RecordedProvider['publish']>[0];

const plain = (
  settings: Partial<ProviderSettings> = {},
  options: Partial<OAuthProviderOptions> = {},
): OAuthProvider =>
  mailboxAt(
    ISSUER,
    { clientId: CLIENT_ID, clientSecret: SECRET, introspectionsPerS: undefined, ...settings },
    { fetch: recorded.fetch, ...options },
  );

function pem(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const BODY = { access_token: 'at', refresh_token: 'rt', token_type: 'Bearer', expires_in: 600 };

const tokens = (): TokenAnswer => ({
  idToken: { iss: ISSUER, aud: CLIENT_ID, sub: 'ada', nonce: NONCE },
  body: BODY,
});

async function exchange(
  settings: Partial<ProviderSettings> = {},
  answer = tokens(),
  options: Partial<OAuthProviderOptions> = {},
) {
  const provider = plain(settings, options);
  recorded.answer(answer);
  return provider.exchange({
    ...REQUEST,
    code: 'code',
    redirectUri: provider.redirectUri,
  });
}
