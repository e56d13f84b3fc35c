import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { keyPair, newSigningKey } from './key-pair.js';
import { publishedKeys } from './published-keys.js';

const MINUTE_MS = 60_000;
const [one, two] = [newSigningKey(), newSigningKey()].map((key) => keyPair(key).publicKey);
const documentOf = (...keys: (string | undefined)[]) =>
  JSON.stringify({ keys: keys.map((whpk) => ({ kty: 'OKP', whpk })) });

let url: string;
let answer: { status: number; body: string };
let asked: number;
let nowMs: number;
const server = http.createServer((_, response) => {
  asked++;
  response.writeHead(answer.status).end(answer.body);
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});
beforeEach(() => {
  [asked, nowMs, answer] = [0, 0, { status: 200, body: documentOf(one) }];
});

it('are read once for all who ask at the same time, and again after five minutes', async () => {
  const keys = publishedKeys(url, () => nowMs);
  expect(await Promise.all([keys(), keys(), keys()])).toEqual([[one], [one], [one]]);
  answer.body = documentOf(two, one, undefined);
  nowMs += 5 * MINUTE_MS - 1;
  expect(await keys()).toEqual([one]);
  expect(asked).toBe(1);
  nowMs += 1;
  expect(await keys()).toEqual([two, one]);
});

it('count for a day while they cannot be read again, and no longer', async () => {
  const keys = publishedKeys(url, () => nowMs);
  await keys();
  answer.status = 503;
  nowMs += 24 * 60 * MINUTE_MS - 1;
  expect(await keys()).toEqual([one]);
  nowMs += 1;
  await expect(keys()).rejects.toThrow(`${url} answered 503, not keys.`);
  answer.status = 200;
  expect(await keys()).toEqual([one]);
});

it.each([
  ['', 'JSON'],
  ['[]', 'has no public key in it'],
  ['{"keys":[{"kty":"OKP"}]}', 'has no public key in it'],
  [documentOf(...Array(1_000).fill(one)), 'more than 65536 bytes'],
])('are not read from %.20s', async (body, problem) => {
  answer.body = body;
  await expect(publishedKeys(url)()).rejects.toThrow(problem);
});
