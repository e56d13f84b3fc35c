import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { closeOpened, serve } from '../../test/loopback.js';
import { type KeySet, publishedKeys } from './published-keys.js';

afterEach(closeOpened);

const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;

describe('published keys', () => {
  it('are fetched once for all who ask at the same time, and kept', async () => {
    const { keys, asked, kids } = await issuer();
    expect(await Promise.all(Array.from({ length: 20 }, kids))).toEqual(
      Array.from({ length: 20 }, () => ['k1']),
    );
    await keys.with(firstKid);
    expect(asked()).toBe(1);
  });

  it.each([
    ['nothing', undefined, 600],
    ['max-age', 'public, max-age=3600, must-revalidate', 3_600],
    ['less than a minute', 'max-age=0', 60],
    ['more than a day', 'max-age=31536000', 86_400],
    ['no-cache', 'no-cache', 60],
    ['nonsense', 'max-age=soon', 600],
  ])('are fresh as long as Cache-Control lets them (%s)', async (_, cacheControl, seconds) => {
    const { passes, asked, kids, answer } = await issuer();
    const headers = cacheControl === undefined ? {} : { 'cache-control': cacheControl };
    answer(200, { keys: [{ kid: 'k1' }] }, headers);
    await kids();
    passes(seconds * SECOND_MS - 1);
    await kids();
    expect(asked()).toBe(1);
    passes(1);
    await kids();
    await eventually(() => expect(asked()).toBe(2));
  });

  it('are as old as the cache on their way says', async () => {
    const { passes, asked, kids, answer } = await issuer();
    answer(200, { keys: [] }, { 'cache-control': 'max-age=3600', age: '3000' });
    await kids();
    passes(600 * SECOND_MS);
    await kids();
    await eventually(() => expect(asked()).toBe(2));
  });

  it.each([
    ['nothing but 503', 503, {}, 'http_503'],
    ['304, which nobody asked for', 304, undefined, 'http_304'],
    ['a redirect', 302, {}, 'http_302'],
    ['no list', 200, { keys: {} }, 'malformed_answer'],
    ['more than 256 KB', 200, { keys: [], padding: 'x'.repeat(300_000) }, 'unreachable'],
  ])('serve on while their issuer answers %s, and it is said', async (_, status, body, reason) => {
    const { passes, kids, answer, stale } = await issuer();
    await kids();
    answer(status, body);
    passes(DAY_MS);
    expect(await kids()).toEqual(['k1']);
    await eventually(() => expect(stale).toEqual([reason]));
  });

  it('that cannot be had are asked for again, more and more rarely', async () => {
    const { passes, asked, kids, answer } = await issuer();
    answer(503, {});
    await expect(kids()).rejects.toMatchObject({ reason: 'http_503', retryAfterMs: SECOND_MS });
    await expect(kids()).rejects.toMatchObject({ reason: 'http_503' });
    expect(asked()).toBe(1);
    passes(SECOND_MS);
    await expect(kids()).rejects.toMatchObject({ retryAfterMs: 2 * SECOND_MS });
    expect(asked()).toBe(2);
  });

  it('that cannot be had at once are had for who has time', async () => {
    const { keys, asked, answer } = await issuer(() => performance.now());
    answer(429, {});
    const waiting = keys.with(firstKid, 60 * SECOND_MS);
    await eventually(() => expect(asked()).toBe(1));
    answer();
    expect(await waiting).toBe('k1');
  });
});

describe('a key that is not among them', () => {
  it('is looked for among newer ones, at most every five seconds', async () => {
    const { keys, passes, asked, kids, answer } = await issuer();
    await kids();
    const second = async () => keys.with(async (set) => kidsOf(set).find((kid) => kid === 'k2'));
    passes(1);
    await expect(second()).rejects.toMatchObject({ reason: 'just_fetched' });
    expect(asked()).toBe(1);

    passes(5 * SECOND_MS);
    expect(await second()).toBeUndefined();
    expect(asked()).toBe(2);
    passes(5 * SECOND_MS);
    answer(200, { keys: [{ kid: 'k1' }, { kid: 'k2' }] });
    expect(await second()).toBe('k2');
    expect(asked()).toBe(3);
  });

  it('is waited for by who has time, while newer ones cannot be had', async () => {
    const { keys, passes, asked, kids, answer } = await issuer(() => performance.now());
    await kids();
    passes(5 * SECOND_MS);
    answer(503, {});
    const second = async (set: KeySet) => kidsOf(set).find((kid) => kid === 'k2');
    const waiting = keys.with(second, 60 * SECOND_MS);
    await eventually(() => expect(asked()).toBe(2));
    answer(200, { keys: [{ kid: 'k2' }] });
    expect(await waiting).toBe('k2');
  });
});

it('a published key is left out when it is none, and a member of it when it is null', async () => {
  const { keys, answer } = await issuer();
  answer(200, { keys: [null, 'key', { kid: 'k1', use: null }] });
  expect(await keys.with(async (set) => set.keys)).toEqual([{ kid: 'k1' }]);
});

const kidsOf = ({ keys }: KeySet) => keys.map(({ kid }) => kid);
const firstKid = async (set: KeySet) => kidsOf(set)[0];

/** Starts an issuer that publishes one key, and the keys as they are read from it by a clock that `passes` puts on. */
async function issuer(clock = () => 0) {
  let asked = 0;
  let passedMs = 0;
  let send: (res: ServerResponse) => void;
  const answer = (
    status = 200,
    body: object | undefined = { keys: [{ kid: 'k1' }] },
    headers = {},
  ) => {
    send = (res) => res.writeHead(status, headers).end(body && JSON.stringify(body));
  };
  answer();
  const url = await serve((_, res) => {
    asked += 1;
    send(res);
  });
  const stale: string[] = [];
  const onStale = ({ reason }: { readonly reason: string }) => void stale.push(reason);
  const keys = publishedKeys({ url: async () => url, onStale, nowMs: () => clock() + passedMs });
  return {
    keys,
    answer,
    stale,
    asked: () => asked,
    kids: async () => keys.with(async (set) => kidsOf(set)),
    passes: (ms: number) => void (passedMs += ms),
  };
}
