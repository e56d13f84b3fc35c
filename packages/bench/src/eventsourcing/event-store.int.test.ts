import { expect, it } from '@jest/globals';
import { useBroker, useDatabase } from '@junction/testing';
import { measureStore } from '../suites/eventsourcing.js';

const { brokers } = useBroker();
const databases = [useDatabase(), useDatabase()];

it('the suite of the event store measures everything it promises', async () => {
  const unused = [...databases];
  const stack = { brokers, createDatabase: async () => unused.shift()?.().url ?? '' };
  const { signal } = new AbortController();
  const say = () => undefined;

  const figures = await measureStore(stack, { env: {}, quick: true, only: [], say, signal });
  expect(Object.keys(figures)).toEqual([
    'append_1_ratio',
    'append_16_ratio',
    'append_16_plain_ratio',
    'append_batch_gain',
    'append_collected_gain',
    'bare_16_per_s',
    'append_16_per_s',
    'outbox_ack_p50_ms',
    'outbox_ack_p99_ms',
    'relay_per_s',
  ]);
  // A record may be acknowledged before its append was answered, so a latency may be below zero.
  for (const value of Object.values(figures)) expect(value).toEqual(expect.any(Number));
  expect(Object.values(figures).filter((value) => !Number.isFinite(value))).toEqual([]);
});
