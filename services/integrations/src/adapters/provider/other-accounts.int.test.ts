import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mailboxAt, notLate } from '../../../test/on-provider.js';
import {
  type RecordedProvider,
  startRecordedProvider,
  type TokenAnswer,
} from '../../../test/recorded-provider.js';
import type { ProviderError } from '../../application/provider-error.js';
import { type ProviderBreaker, providerBreaker } from './provider-breaker.js';

const ORIGIN = 'https://login.example';
const TOKENS: TokenAnswer = { body: { access_token: 'at', token_type: 'Bearer', expires_in: 30 } };
const HTML = { 'content-type': 'text/html' };

let recorded: RecordedProvider;
beforeAll(async () => {
  recorded = await startRecordedProvider({
    origins: [ORIGIN],
    descriptions: {
      '/.well-known/openid-configuration': {
        issuer: ORIGIN,
        authorization_endpoint: `${ORIGIN}/authorize`,
        token_endpoint: `${ORIGIN}/token`,
        jwks_uri: `${ORIGIN}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
      },
    },
    jwksPath: '/keys',
  });
});
afterAll(async () => recorded?.close());

const opened: ProviderBreaker[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

/** Answers to many accounts of one organisation. */
const ORGANISATION: readonly (readonly [string, TokenAnswer, string])[] = [
  [
    'unauthorized_client, and a number that is about a tenant',
    {
      status: 400,
      body: {
        error: 'unauthorized_client',
        error_description: 'AADSTS700016: The application was not found in this directory.',
        error_codes: [700016],
      },
    },
    'account_not_allowed',
  ],
  ['invalid_client', { status: 401, body: { error: 'invalid_client' } }, 'account_not_allowed'],
  [
    'a challenge',
    { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' }, body: '' },
    'account_not_allowed',
  ],
  ['a page', { status: 403, headers: HTML, body: '<html></html>' }, 'http_403'],
];

describe('an organisation that is refused', () => {
  it.each(ORGANISATION)('by %s cuts no other off', async (_, answer, reason) => {
    const refresh = refreshing();
    expect(await refresh('con_other', TOKENS)).toBe('at');
    for (let n = 0; n < 60; n++) expect(await refresh(`con_${n % 30}`, answer)).toBe(reason);
    expect(await refresh('con_other', TOKENS)).toBe('at');
  });

  it('is not told apart from a client that is refused, where nobody is given tokens', async () => {
    const refresh = refreshing();
    const answer = { status: 401, body: { error: 'invalid_client' } };
    for (let n = 0; n < 20; n++) expect(await refresh(`con_${n}`, answer)).toBe('invalid_client');
    expect(await refresh('con_other')).toBe('circuit_open');
  });
});

/** Refreshes for one client under its breaker. Returns the access token, or the reason why there is none. */
function refreshing() {
  const breaker = providerBreaker('acme/mailbox');
  opened.push(breaker);
  const { guard } = breaker;
  const provider = mailboxAt(ORIGIN, {}, { guard, fetch: recorded.fetch });
  return async (connectionId: string, answer?: TokenAnswer): Promise<string> => {
    if (answer) recorded.answer(answer);
    return provider.refresh('rt', { ...notLate, connectionId }).then(
      ({ accessToken }) => accessToken,
      ({ reason }: ProviderError) => reason,
    );
  };
}
