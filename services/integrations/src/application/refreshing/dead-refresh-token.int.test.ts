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
  it('ends the connection after one call, also where the answer has status 200', async () => {
    const { renew, endedFor } = await connected();
    faulty().alter(() => answering(200, '{"error":"bad_refresh_token"}'));
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
    ['nothing there', 'http_404', KEPT, answering(404)],
    ['a page with status 200', 'not_json', LOST, answering(200, PAGE)],
    ['null with status 200', 'malformed_answer', LOST, answering(200, 'null')],
    ['nothing with status 204', 'http_204', LOST, answering(204)],
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
