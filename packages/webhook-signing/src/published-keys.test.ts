import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type Receiver, startReceiver } from '@junction/testing';
import { keyPair, newSigningKey } from './key-pair.js';
import { publishedKeys } from './published-keys.js';

const MINUTE_MS = 60_000;
const [one, two] = [newSigningKey(), newSigningKey()].map((key) => keyPair(key).publicKey);
const documentOf = (...keys: (string | undefined)[]) =>
  JSON.stringify({ keys: keys.map((whpk) => ({ kty: 'OKP', whpk })) });

let server: Receiver;
let nowMs: number;

beforeAll(async () => {
  server = await startReceiver();
});
afterAll(() => server.close());
beforeEach(() => {
  nowMs = 0;
  server.clear();
  server.answer({ body: documentOf(one) });
});

it('published keys are read once for all who ask at the same time, and again after five minutes', async () => {
  const keys = publishedKeys(server.url, () => nowMs);
  expect(await Promise.all([keys(), keys(), keys()])).toEqual([[one], [one], [one]]);
  server.answer({ body: documentOf(two, one, undefined) });
  nowMs += 5 * MINUTE_MS - 1;
  expect(await keys()).toEqual([one]);
  expect(server.requests).toHaveLength(1);
  nowMs += 1;
  expect(await keys()).toEqual([two, one]);
});

it('published keys count for a day while they cannot be read again, and no longer', async () => {
  const keys = publishedKeys(server.url, () => nowMs);
  await keys();
  server.answer({ status: 503 });
  nowMs += 24 * 60 * MINUTE_MS - 1;
  expect(await keys()).toEqual([one]);
  nowMs += 1;
  await expect(keys()).rejects.toThrow(`${server.url} answered 503, not keys.`);
  server.answer({ body: documentOf(one) });
  expect(await keys()).toEqual([one]);
});

it('published keys are not read from where their address leads', async () => {
  server.answer({ status: 302, headers: { location: '/elsewhere' } });
  await expect(publishedKeys(server.url)()).rejects.toThrow('answered 302, not keys.');
  expect(server.requests).toHaveLength(1);
});

it.each([
  ['', 'JSON'],
  ['[]', 'has no public key in it'],
  ['{"keys":[{"kty":"OKP"}]}', 'has no public key in it'],
  [documentOf(...Array(1_000).fill(one)), 'more than 65536 bytes'],
])('published keys are not read from %.20s', async (body, problem) => {
  server.answer({ body });
  await expect(publishedKeys(server.url)()).rejects.toThrow(problem);
});
