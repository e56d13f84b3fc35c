import { describe, expect, it } from '@jest/globals';
import { ClientError } from 'openid-client';
import { classifyFailure } from './classify-failure.js';
import { newNotes } from './client-configuration.js';
import { ERROR_MEANINGS } from './error-meanings.js';
import { recoveringFetch } from './recovering-fetch.js';

const GONE = { failure: 'refused', reason: 'invalid_grant' };
const NOT_ALLOWED = { failure: 'rejected', reason: 'account_not_allowed' };
const OUR_CLIENT = { failure: 'misconfigured', reason: 'invalid_client' };
const SENTENCES = [
  'The refresh_token is invalid.',
  'missing or invalid refresh token',
  'token request is already being processed',
  'user is blocked',
];

describe('a line of the table', () => {
  it.each(ERROR_MEANINGS)('%s means %s, kept as %s', async (says, failure, reason) => {
    const sentence = SENTENCES.find((one) => says instanceof RegExp && says.test(one));
    const answer = String(says).startsWith('AADSTS')
      ? { error: 'invalid_grant', error_description: `${String(says)}: words of Microsoft` }
      : { error: sentence ?? says };
    expect(await judged({ body: answer })).toMatchObject({ failure, reason });
  });

  it.each(ERROR_MEANINGS)('%s (%s, %s) names its source: %s', (_says, _means, _reason, source) => {
    expect(source).toMatch(/^(https:\/\/|RFC |OpenID )/);
  });
});

describe('a token endpoint that says no', () => {
  it.each<[string, Answer, object]>([
    ['by GitHub, with status 200', { status: 200, body: { error: 'bad_refresh_token' } }, GONE],
    [
      'by Slack, with status 200',
      { status: 200, body: { ok: false, error: 'token_revoked' } },
      GONE,
    ],
    ['by HubSpot, in capitals', { body: { status: 'BAD_REFRESH_TOKEN', message: 'no' } }, GONE],
    ['by Fitbit, in a list', { body: { errors: [{ errorType: 'invalid_grant' }] } }, GONE],
    [
      'by Microsoft, where consent is missing',
      { body: { error: 'invalid_grant', suberror: 'consent_required', error_codes: [65001] } },
      GONE,
    ],
    ['in an object', { body: { error: { code: 'invalid_grant', message: 'gone' } } }, GONE],
    ['by Auth0, with status 403', { status: 403, body: { error: 'invalid_grant' } }, GONE],
    [
      'by Atlassian, as if about the client',
      { status: 403, body: { error: 'unauthorized_client', error_description: SENTENCES[0] } },
      GONE,
    ],
    [
      'by DeviantArt, in a sentence',
      { body: { error: 'invalid_request', error_description: SENTENCES[0] } },
      GONE,
    ],
    ['as a page of text', { type: 'text/html', body: '{"error":"invalid_grant"}' }, GONE],
    ['without a content type', { type: '', body: '{"error":"invalid_grant"}' }, GONE],
    ['as a problem', { type: 'application/problem+json', body: { error: 'invalid_grant' } }, GONE],
    ['in plain text', { type: 'text/plain', body: 'invalid_grant\n' }, GONE],
    [
      'as a form with status 200',
      {
        status: 200,
        type: 'application/x-www-form-urlencoded',
        body: 'error=bad_refresh_token&x=y',
      },
      GONE,
    ],
    [
      'in a challenge for the token',
      { status: 401, challenge: 'Bearer realm="x", error="invalid_token"', body: '' },
      GONE,
    ],
    [
      'with a challenge for the client, and says the grant is gone',
      { status: 401, challenge: 'Basic realm="x"', body: { error: 'invalid_grant' } },
      GONE,
    ],
    [
      'of a tenant that is gone, by number alone',
      { body: { error: 'invalid_request', error_codes: [90002] } },
      GONE,
    ],
    [
      'for one tenant, as if about the client',
      {
        status: 401,
        body: { error: 'invalid_client', error_description: 'AADSTS7000229: missing there' },
      },
      NOT_ALLOWED,
    ],
    ['to our client', { status: 401, body: { error: 'invalid_client' } }, OUR_CLIENT],
    ['to our client by a challenge', { status: 401, challenge: 'Basic', body: '' }, OUR_CLIENT],
    [
      'to a token by a challenge that says no more',
      { status: 401, challenge: 'Bearer', body: '' },
      { failure: 'rejected', reason: 'http_401' },
    ],
    [
      'by Salesforce, as if the grant were gone, while another refresh is under way',
      { body: { error: 'invalid_grant', error_description: SENTENCES[2] } },
      { failure: 'unavailable', reason: 'refresh_under_way' },
    ],
    [
      'by Google, to an application that it has stopped',
      {
        status: 401,
        body: { error: 'disabled_client', error_description: 'The OAuth client was disabled.' },
      },
      { failure: 'misconfigured', reason: 'disabled_client' },
    ],
    [
      'by Microsoft, to a redirect URI, as if about the grant',
      {
        body: {
          error: 'invalid_grant',
          error_description: 'AADSTS500112: The reply address does not match.',
          error_codes: [500112],
        },
      },
      { failure: 'misconfigured', reason: 'redirect_uri_mismatch' },
    ],
    [
      'by Auth0, to a client without the grant',
      {
        status: 403,
        body: {
          error: 'unauthorized',
          error_description: "Grant type 'refresh_token' not allowed for the client.",
        },
      },
      { failure: 'misconfigured', reason: 'unauthorized_client' },
    ],
    [
      'by Auth0, to a user whom an administrator has blocked',
      { status: 401, body: { error: 'unauthorized', error_description: SENTENCES[3] } },
      NOT_ALLOWED,
    ],
    [
      'beside a word for callers without credentials, about the token',
      { status: 401, body: { error: 'Unauthorized', message: 'Invalid refresh token' } },
      GONE,
    ],
    [
      'by a firewall, with a page',
      { status: 403, type: 'text/html', body: '<html>Access denied: invalid refresh token</html>' },
      { failure: 'rejected', reason: 'http_403' },
    ],
    [
      'by a firewall, with a word of OAuth',
      { status: 403, body: { error: 'access_denied' } },
      { failure: 'rejected', reason: 'access_denied' },
    ],
    [
      'in words that nobody knows',
      { body: { error: 'constructor' } },
      { failure: 'rejected', reason: 'http_400' },
    ],
    [
      'in words that nobody knows, with status 200',
      { status: 200, body: { error: 'odd' } },
      { failure: 'rejected', reason: 'provider_error' },
    ],
    [
      'by a page that speaks of tokens',
      { status: 404, body: `<p>${'Your invalid refresh token. '.repeat(40)}</p>` },
      { failure: 'rejected', reason: 'http_404' },
    ],
    [
      'by leading elsewhere',
      { status: 302, body: '' },
      { failure: 'rejected', reason: 'http_302' },
    ],
  ])('%s', async (_, answer, meaning) => {
    expect(await judged(answer)).toMatchObject(meaning);
  });

  it.each<[string, Answer]>([
    ['nothing', { status: 200, body: {} }],
    ['no error', { status: 200, body: { error: null, scope: 'x' } }],
    ['a page', { status: 200, body: '<p>error=odd</p>' }],
  ])('is not heard in an answer that says %s', async (_, answer) => {
    expect(await judged(answer)).toMatchObject({ failure: 'unavailable' });
  });
});

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly challenge?: string;
  readonly body: object | string;
}

/** Returns the failure of a refresh with this answer, when the library has nothing to say about the answer. */
async function judged({ status = 400, type = 'application/json', challenge, body }: Answer) {
  const notes = newNotes();
  const headers = new Headers({ 'content-type': type });
  if (type === '') headers.delete('content-type');
  if (challenge !== undefined) headers.set('www-authenticate', challenge);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const send = async () => {
    const response = new Response(text, { status, headers });
    if (type === '') response.headers.delete('content-type');
    return response;
  };
  await recoveringFetch(notes, send)('https://provider.example/token', {
    method: 'POST',
    headers: {},
    redirect: 'manual',
    body: new URLSearchParams({ grant_type: 'refresh_token' }),
  });
  return classifyFailure(new ClientError(''), notes);
}
