import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { classifyFailure } from './classify-failure.js';

const NOTES = { sent: true, tokens: {} };
const SECRET = 'a-refresh-token';

describe('a failed call', () => {
  it.each([
    ['invalid_grant', 400, { failure: 'refused', reason: 'invalid_grant' }],
    ['invalid_request', 400, { failure: 'rejected', reason: 'invalid_request' }],
    ['unauthorized_client', 400, { failure: 'misconfigured', reason: 'unauthorized_client' }],
    ['temporarily_unavailable', 400, { failure: 'unavailable' }],
    ['invalid_grant', 429, { failure: 'unavailable', reason: 'http_429' }],
    [`odd ${SECRET}`, 400, { failure: 'rejected', reason: 'provider_error' }],
    ['constructor', 400, { failure: 'rejected', reason: 'provider_error' }],
  ])('with %s and status %i is told for what it is', (error, status, expected) => {
    const response = new Response(null, { status });
    const failure = new ResponseBodyError('', { cause: { error }, response });
    expect(classifyFailure(failure, NOTES)).toMatchObject(expected);
  });

  it('with a challenge is our own client not being accepted', () => {
    const response = new Response(null, { status: 401 });
    const challenge = new WWWAuthenticateChallengeError('', {
      cause: [{ scheme: 'basic', parameters: {} }],
      response,
    });
    expect(classifyFailure(challenge, NOTES)).toMatchObject({ failure: 'misconfigured' });
  });

  it.each([
    ['OAUTH_TIMEOUT', 'timeout'],
    ['OAUTH_PARSE_ERROR', 'not_json'],
    ['OAUTH_INVALID_RESPONSE', 'malformed_answer'],
    ['OAUTH_SOMETHING_NEW', 'unreachable'],
  ])('that the library calls %s may succeed later', (code, reason) => {
    const failure = classifyFailure(Object.assign(new ClientError(''), { code }), NOTES);
    expect(failure).toMatchObject({ failure: 'unavailable', reason });
  });

  it('says when the provider wants to be asked again', () => {
    const after = (text: string) => {
      const response = new Response(null, { status: 503, headers: { 'retry-after': text } });
      return classifyFailure(new ClientError('', { cause: response }), NOTES).retryAfterMs;
    };
    expect(after('120')).toBe(120_000);
    const inTenMinutes = new Date(Date.now() + 600_000).toUTCString();
    expect(after(inTenMinutes.replace('GMT', '-0000'))).toBeGreaterThan(300_000);
    expect([after('later'), after('-1')]).toEqual([undefined, undefined]);
    // An hour is the longest time that a provider can make us wait.
    expect(after('999999999')).toBe(3_600_000);
  });

  it('keeps nothing of the answer where it could be printed', () => {
    const cause = { body: { refresh_token: SECRET } };
    const failure = classifyFailure(new ClientError('', { cause }), {
      sent: true,
      tokens: { refreshToken: SECRET },
    });
    expect(failure.recovered).toEqual({ refreshToken: SECRET });
    expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(SECRET);
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  });
});
