import { describe, expect, it } from '@jest/globals';
import { useAdapters } from '../../test/on-postgres.js';
import { useFaultyProvider } from '../../test/on-provider.js';
import { answering, renewing } from '../../test/renewing.js';

const adapters = useAdapters();
const faulty = useFaultyProvider();
const connected = renewing(adapters, faulty);
const unavailable = expect.objectContaining({ code: 'provider_unavailable' });

describe('a refresh token that is dead', () => {
  const GONE = '{"error":"invalid_grant"}';

  it.each([
    ['an error with status 200', answering(200, '{"error":"bad_refresh_token"}')],
    ['invalid_grant with status 200', answering(200, GONE)],
    ['JSON named text/html', answering(400, GONE, { 'content-type': 'text/html' })],
    ['JSON without a type', answering(400, GONE, {})],
    ['problem+json', answering(400, GONE, { 'content-type': 'application/problem+json' })],
    ['an error that is an object', answering(400, '{"error":{"code":"invalid_grant"}}')],
    ['another word', answering(400, '{"error":"invalid_token"}')],
    ['a word in capitals', answering(401, '{"status":"EXPIRED_TOKEN"}')],
    ['a tenant that is gone', answering(400, '{"error":"x","error_codes":[90002]}')],
    ['a challenge', answering(401, '', { 'www-authenticate': 'Bearer error="invalid_token"' })],
    ['a sentence', answering(400, '{"error":"x","message":"Refresh token has expired"}')],
  ])('ends the connection after one call, whatever says so: %s', async (_, answer) => {
    const { renew, row, hasTokens } = await connected();
    faulty().alter(() => answer);
    for (let time = 1; time <= 3; time++) await renew();
    expect((await faulty().control.calls()).token).toBe(1);
    expect(await row()).toMatchObject({
      status: 'reconnect_required',
      status_reason: 'invalid_grant',
    });
    expect(await hasTokens()).toBe(false);
  });
});

describe('an answer that leaves open whether the grant still stands', () => {
  const DAYS_LATER = `unclear_since = now() - interval '3 days'`;
  const ENDED = `expires_at = now() - interval '1 second'`;

  it.each([
    ['a redirect', 'http_302', answering(302, '', { location: 'https://elsewhere.example' })],
    ['nothing there', 'http_404', answering(404)],
    ['a page', 'http_403', answering(403, '<html></html>', { 'content-type': 'text/html' })],
    ['an unknown word', 'http_400', answering(400, '{"error":"odd"}')],
    ['an unknown word with status 200', 'provider_error', answering(200, '{"error":"odd"}')],
    ['a page with status 200', 'not_json', answering(200, '<html></html>')],
    ['a failure of a server', 'http_500', answering(500)],
  ])('is waited out for three days, and seldom asked for again: %s', async (_, reason, answer) => {
    const { renew, row, change, hasTokens } = await connected();
    faulty().answerInstead(answer);
    await expect(renew()).rejects.toEqual(unavailable);
    expect(await row()).toMatchObject({ status: 'degraded', status_reason: reason });
    await change(DAYS_LATER);
    await expect(renew()).rejects.toEqual(unavailable);
    expect(await hasTokens()).toBe(true);

    await change(ENDED);
    await renew();
    expect(await row()).toMatchObject({
      status: 'reconnect_required',
      status_reason: 'given_up',
    });
    expect(await hasTokens()).toBe(false);
  });

  it('is forgotten with the next refresh that works', async () => {
    const { renew, row, unclearSince } = await connected();
    faulty().answerInstead(answering(404));
    await expect(renew()).rejects.toEqual(unavailable);
    const since = await unclearSince();
    expect(since).toEqual(expect.any(Date));
    await expect(renew()).rejects.toEqual(unavailable);
    expect(await unclearSince()).toEqual(since);

    await faulty().straighten();
    await renew();
    expect(await row()).toMatchObject({ status: 'active', credential_version: 2 });
    expect(await unclearSince()).toBeNull();
  });

  it.each([
    ['a provider that is busy', answering(429)],
    ['one that does not accept our client', answering(401, '{"error":"invalid_client"}')],
  ])('is not that of %s, however long', async (_, answer) => {
    const { renew, row, unclearSince } = await connected();
    faulty().answerInstead(answer);
    await expect(renew()).rejects.toEqual(unavailable);
    expect(await row()).toMatchObject({ status: 'degraded' });
    expect(await unclearSince()).toBeNull();
  });
});
