import { describe, expect, it } from '@jest/globals';
import { useAdapters } from '../../../test/on-postgres.js';
import { useFaultyProvider } from '../../../test/on-provider.js';
import { answering, renewing } from '../../../test/renewing.js';

const adapters = useAdapters();
const faulty = useFaultyProvider();
const connected = renewing(adapters, faulty);
const unavailable = expect.objectContaining({ code: 'provider_unavailable' });
/** Whether the lost answer may have held a new refresh token. */
const [LOST, KEPT] = [true, false];

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
    const { renew, endedFor } = await connected();
    faulty().alter(() => answer);
    for (let time = 1; time <= 3; time++) await renew();
    expect((await faulty().control.calls()).token).toBe(1);
    expect(await endedFor()).toBe('invalid_grant');
  });

  it('ends the connection after one call when its user took the access away', async () => {
    const { renew, email, endedFor } = await connected();
    await faulty().control.revokeAccount(email);
    for (let time = 1; time <= 3; time++) await renew();
    expect((await faulty().control.calls()).token).toBe(1);
    expect(await endedFor()).toBe('invalid_grant');
  });
});

describe('an answer that leaves open what became of the refresh token', () => {
  const DAYS_LATER = `unclear_since = now() - interval '3 days'`;
  const ENDED = `expires_at = now() - interval '1 second'`;
  const PAGE = '<html></html>';

  it.each([
    ['a redirect', 'http_302', LOST, answering(302, '', { location: 'https://elsewhere.example' })],
    ['a redirect to nowhere', 'http_302', LOST, answering(302)],
    ['nothing there', 'http_404', KEPT, answering(404)],
    ['a page', 'http_403', KEPT, answering(403, PAGE, { 'content-type': 'text/html' })],
    ['an unknown word', 'http_400', KEPT, answering(400, '{"error":"odd"}')],
    ['an unknown word with status 200', 'provider_error', KEPT, answering(200, '{"error":"odd"}')],
    ['a page with status 200', 'not_json', LOST, answering(200, PAGE)],
    ['null with status 200', 'malformed_answer', LOST, answering(200, 'null')],
    ['no token with status 200', 'malformed_answer', LOST, answering(200, '{}')],
    ['nothing with status 204', 'http_204', LOST, answering(204)],
    ['a failure of a server', 'http_500', LOST, answering(500, '{"error":"server_error"}')],
    ['a failure of a server without a word', 'http_500', LOST, answering(500)],
    ['a failure of a gateway', 'http_502', LOST, answering(502)],
    ['a server that is overloaded', 'http_503', LOST, answering(503)],
  ])(
    'is waited out for three days, and seldom asked for again: %s',
    async (_, reason, answerLost, answer) => {
      const { renew, row, current, isLost, change, hasTokens, endedFor } = await connected();
      faulty().answerInstead(answer);
      await expect(renew()).rejects.toEqual(unavailable);
      expect(await row()).toMatchObject({ status: 'degraded', statusReason: reason });
      expect(await isLost()).toBe(answerLost);
      expect((await current())?.credential?.answerLost).toBe(answerLost);
      await change(DAYS_LATER);
      await expect(renew()).rejects.toEqual(unavailable);
      expect(await hasTokens()).toBe(true);

      await change(ENDED);
      await renew();
      expect(await endedFor()).toBe('given_up');
    },
  );

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
    expect(await row()).toMatchObject({ status: 'active', credentialVersion: 2 });
    expect(await unclearSince()).toBeNull();
  });

  it.each([
    ['a provider that is busy', answering(429)],
    ['one that does not accept our client', answering(401, '{"error":"invalid_client"}')],
  ])('is not that of %s, however long', async (_, answer) => {
    const { renew, row, unclearSince, isLost } = await connected();
    faulty().answerInstead(answer);
    await expect(renew()).rejects.toEqual(unavailable);
    expect(await row()).toMatchObject({ status: 'degraded' });
    expect(await unclearSince()).toBeNull();
    expect(await isLost()).toBe(false);
  });
});
