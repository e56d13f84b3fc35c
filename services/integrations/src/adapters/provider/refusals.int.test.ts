import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mailboxAt, notLate } from '../../../test/on-provider.js';
import {
  type RecordedProvider,
  startRecordedProvider,
  type TokenAnswer,
} from '../../../test/recorded-provider.js';
import type { ProviderError } from '../../application/provider-error.js';
import type { ProviderSettings } from './provider-settings.js';

const ISSUER = 'https://provider.example';
const REFRESH = { token: 'rt', hint: 'refresh_token' } as const;
const TOKENS: TokenAnswer = { body: { access_token: 'at', token_type: 'Bearer', expires_in: 60 } };
const DONE: TokenAnswer = { status: 200, body: '' };
const refusing = (error: string, status = 400): TokenAnswer => ({ status, body: { error } });
const UNSUPPORTED = refusing('unsupported_token_type');

const described: Record<string, unknown> = {};
let recorded: RecordedProvider;
beforeAll(async () => {
  const descriptions = { '/.well-known/openid-configuration': described };
  recorded = await startRecordedProvider({ origins: [ISSUER], descriptions, jwksPath: '/jwks' });
});
beforeEach(() => {
  for (const name of Object.keys(described)) delete described[name];
  Object.assign(described, {
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/auth`,
    token_endpoint: `${ISSUER}/token`,
    revocation_endpoint: `${ISSUER}/revoke`,
    introspection_endpoint: `${ISSUER}/introspect`,
    jwks_uri: `${ISSUER}/jwks`,
  });
  recorded.asked.length = 0;
});
afterAll(async () => recorded?.close());

describe('a revocation', () => {
  it.each<[string, TokenAnswer, string]>([
    ['200 with a page', { status: 200, body: '<html></html>' }, 'revoked'],
    ['201', { status: 201, body: '' }, 'revoked'],
    ['202', { status: 202, body: '' }, 'revoked'],
    ['204', { status: 204, body: '' }, 'revoked'],
    ['a word for a token that is gone', refusing('invalid_token'), 'revoked'],
    ['a word for a kind of token', UNSUPPORTED, 'unsupported'],
    ['404', { status: 404, body: '<html></html>' }, 'no_revocation_endpoint'],
    ['405', { status: 405, body: '' }, 'no_revocation_endpoint'],
    ['302', { status: 302, headers: { location: '/login' }, body: '' }, 'http_302'],
    ['403 with a page', { status: 403, body: '<html></html>' }, 'http_403'],
    ['503', { status: 503, body: '' }, 'http_503'],
    ['a refusal of our client', refusing('invalid_client', 401), 'invalid_client'],
  ])('that is answered with %s', async (_, answer, outcome) => {
    recorded.answer(answer);
    const said = await at()
      .revoke(REFRESH)
      .catch(({ reason }: ProviderError) => reason);
    expect(said).toBe(outcome);
    expect(recorded.asked.map((form) => form.get('token'))).toEqual(['rt']);
  });

  it.each<[string, readonly TokenAnswer[], string, readonly string[]]>([
    ['stands with both its tokens', [UNSUPPORTED, UNSUPPORTED], 'unsupported', ['rt', 'at']],
    [
      'has ended when the provider says that the refresh token went along',
      [UNSUPPORTED, DONE, { body: { active: false } }],
      'revoked',
      ['rt', 'at', 'rt'],
    ],
    [
      'stands when its refresh token is active afterwards',
      [UNSUPPORTED, DONE, { body: { active: true } }],
      'unsupported',
      ['rt', 'at', 'rt'],
    ],
  ])(
    'tries the access token when a refresh token is of a kind that is not revoked there: the grant %s',
    async (_, answers, outcome, tokens) => {
      recorded.answer(...answers);
      expect(await at().revoke({ ...REFRESH, accessToken: 'at' })).toBe(outcome);
      expect(recorded.asked.map((form) => form.get('token'))).toEqual(tokens);
    },
  );

  it('leaves it open whether a refresh token went along where nobody can be asked', async () => {
    recorded.answer(UNSUPPORTED, DONE);
    const provider = at({ introspectionsPerS: undefined });
    expect(await provider.revoke({ ...REFRESH, accessToken: 'at' })).toBe('unsupported');
  });
});

describe('an application that the provider does not accept', () => {
  it('is told to operators once, though a token came a moment ago, and by no connection', async () => {
    const told: object[] = [];
    const provider = at({}, told);
    recorded.answer(TOKENS, ...Array.from({ length: 3 }, () => refusing('disabled_client', 401)));
    await provider.refresh('rt', notLate);
    for (let n = 0; n < 3; n++) {
      const refused = { failure: 'misconfigured', reason: 'disabled_client' };
      await expect(provider.refresh('rt', notLate)).rejects.toMatchObject(refused);
    }
    expect(told).toEqual([{ client: 'acme/mailbox', reason: 'disabled_client' }]);

    recorded.answer(refusing('redirect_uri_mismatch'));
    const { redirectUri } = provider;
    const code = { ...REQUEST, code: 'code', redirectUri };
    await expect(provider.exchange(code)).rejects.toMatchObject({ failure: 'misconfigured' });
    expect(told).toHaveLength(2);
  });

  it('is told of by a revocation, too', async () => {
    const told: object[] = [];
    recorded.answer(refusing('invalid_client', 401));
    await expect(at({}, told).revoke(REFRESH)).rejects.toMatchObject({ failure: 'misconfigured' });
    expect(told).toEqual([{ client: 'acme/mailbox', reason: 'invalid_client' }]);
  });
});

describe('a provider that lists methods which our client has no credentials for', () => {
  it.each([[['client_secret_jwt']], [['tls_client_auth', 'private_key_jwt']]])(
    'is asked for nothing, and the log names them: %j',
    async (methods) => {
      described['token_endpoint_auth_methods_supported'] = methods;
      const told: object[] = [];
      const refused = { failure: 'misconfigured', reason: 'no_usable_auth_method', sent: false };
      await expect(at({}, told).authorizationUrl(REQUEST)).rejects.toMatchObject(refused);
      expect(told).toMatchObject([{ issuer: ISSUER, listed_auth_methods: methods }]);
      expect(recorded.asked).toEqual([]);
    },
  );
});

describe('a pushed authorization request', () => {
  const pushing = () => {
    described['require_pushed_authorization_requests'] = true;
    described['pushed_authorization_request_endpoint'] = `${ISSUER}/par`;
  };

  it.each([200, 201])('has its address in the answer with %i', async (status) => {
    pushing();
    recorded.answer({ status, body: { request_uri: 'urn:x', expires_in: 60 } });
    const url = new URL(await at().authorizationUrl(REQUEST));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'junction-mailbox',
      request_uri: 'urn:x',
    });
    expect(Object.fromEntries(recorded.asked[0] ?? [])).toMatchObject({
      state: REQUEST.state,
      nonce: REQUEST.nonce,
      code_challenge_method: 'S256',
      prompt: 'consent',
    });
  });

  it.each<[string, TokenAnswer, object]>([
    [
      'that is refused is about us',
      refusing('invalid_request'),
      { failure: 'misconfigured', reason: 'invalid_request' },
    ],
    [
      'may be tried again when the provider is busy',
      refusing('slow_down', 429),
      { failure: 'unavailable', reason: 'http_429' },
    ],
  ])('%s', async (_, answer, failure) => {
    pushing();
    recorded.answer(answer);
    await expect(at().authorizationUrl(REQUEST)).rejects.toMatchObject(failure);
  });

  it('is sent where the settings want it, or not at all without an endpoint for it', async () => {
    const asked = at({ pushesAuthorizations: true }).authorizationUrl(REQUEST);
    const reason = 'no_pushed_authorization_request_endpoint';
    await expect(asked).rejects.toMatchObject({ failure: 'unavailable', reason });
    described['pushed_authorization_request_endpoint'] = `${ISSUER}/par`;
    recorded.answer({ status: 201, body: { request_uri: 'urn:x', expires_in: 60 } });
    const url = await at({ pushesAuthorizations: true }).authorizationUrl(REQUEST);
    expect(url).toContain('request_uri=urn');
    // Without either nothing is pushed, though there is an endpoint.
    expect(await at().authorizationUrl(REQUEST)).not.toContain('request_uri');
  });
});

const REQUEST = { state: 's', nonce: 'n', verifier: 'v'.repeat(43), userId: randomUUID() };

/** Creates our client; what it tells operators goes to `told`. */
const at = (settings: Partial<ProviderSettings> = {}, told: object[] = []) =>
  mailboxAt(ISSUER, settings, {
    fetch: recorded.fetch,
    log: { warn: (fields) => told.push(fields), error: (fields) => told.push(fields) },
  });
