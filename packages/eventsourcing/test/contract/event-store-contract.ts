import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  AppendRefusedError,
  type BatchingEventStore,
  EVENT_BYTES_MAX,
  StreamMovedError,
} from '../../src/index.js';
import { type Counted, counted } from '../../src/testing.js';
import { begins, newCounter } from '../counters.js';
import { properties } from './properties.js';

const RACERS = 16;

export interface ContractOptions {
  /** Returns a store to test, which may be the same each time. */
  readonly open: Open;
  /** Number of programs that each property plays. Default 50. */
  readonly runs?: number;
}

const RUNS = 50;

type Open = () => BatchingEventStore<Counted>;

const REFUSED: readonly [string, unknown, string][] = [
  ['of a type nobody registered', { type: 'toString', data: {} }, 'event_type_unknown'],
  ['of another shape', { type: 'counted', data: { n: 'one' } }, 'event_data_invalid'],
  ['with U+0000', { type: 'counted', data: { n: 1, padding: 'a\0' } }, 'event_data_invalid'],
  [
    'with U+0000 after a backslash',
    { type: 'counted', data: { n: 1, padding: '\\\0' } },
    'event_data_invalid',
  ],
  [
    'with half a surrogate pair',
    { type: 'counted', data: { n: 1, padding: '\udc00\ud83d' } },
    'event_data_invalid',
  ],
  [
    'with half a surrogate pair in the name of a field',
    { type: 'counted', data: { n: 1, '\ud83d': 1 } },
    'event_data_invalid',
  ],
  [
    'over a megabyte',
    { type: 'counted', data: { n: 1, padding: 'x'.repeat(EVENT_BYTES_MAX) } },
    'event_too_large',
  ],
  [
    'over a megabyte of long characters',
    { type: 'counted', data: { n: 1, padding: '€'.repeat(EVENT_BYTES_MAX / 2.9) } },
    'event_too_large',
  ],
];

const STREAM_IDS_REFUSED: readonly [string, string][] = [
  ['breaks the line', 'counter-\n'],
  ['holds NUL', 'counter-a\0'],
  ['holds a control character', 'count\x7fer-1'],
  ['holds half a surrogate pair', 'counter-\ud800'],
  ['has no id', 'counter'],
  ['is too long', `counter-${'x'.repeat(248)}`],
];

/**
 * Declares the tests of what a store promises for each way of appending. The properties compare any appends, one after
 * the other or in a batch, with a model; the examples cover what the model cannot say.
 */
export function eventStoreContract({ open, runs = RUNS }: ContractOptions): void {
  describe('a race', () => {
    it('lets one of sixteen racers win and tells the others the version that won', async () => {
      const store = open();
      const streamId = newCounter();
      const race = Array.from({ length: RACERS }, (_, n) => store.append([begins(streamId, n)]));

      const outcomes = await Promise.allSettled(race);
      const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(lost).toHaveLength(RACERS - 1);
      for (const reason of lost) expect(reason).toBeInstanceOf(StreamMovedError);
      for (const reason of lost) expect(reason).toMatchObject({ actual: { [streamId]: 1 } });
      expect(await store.load(streamId)).toMatchObject({ version: 1 });
    });
  });

  describe('a repeated command', () => {
    it('is stored once when all its repeats arrive together', async () => {
      const store = open();
      const [streamId, commandId] = [newCounter(), randomUUID()];
      const append = begins(streamId);
      const outcomes = await Promise.all(
        Array.from({ length: RACERS }, () => store.append([append], { commandId })),
      );

      expect(outcomes.filter(({ repeated }) => !repeated)).toHaveLength(1);
      expect(new Set(outcomes.map(({ events }) => events[0]?.eventId)).size).toBe(1);
      expect(await store.load(streamId)).toMatchObject({ version: 1 });
    });
  });

  describe('a command id', () => {
    it('can be recalled, and one that never was cannot', async () => {
      const store = open();
      const [streamId, commandId] = [newCounter(), randomUUID()];
      const first = await store.append([begins(streamId)], { commandId });

      expect(await store.recall(commandId, [streamId])).toEqual({ ...first, repeated: true });
      expect(await store.recall(randomUUID(), [streamId])).toBeUndefined();
    });
  });

  it('keeps actor and position with each event', async () => {
    const streamId = newCounter();
    const metadata = { actor: { kind: 'user', id: randomUUID() }, correlationId: 'c-1' } as const;
    const append = begins(streamId);
    const { events } = await open().append([append], { metadata });

    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ streamId, version: 1, type: 'counted', metadata });
    expect(events[0]?.event).toEqual(counted(1));
  });

  it('refuses an append without events', async () => {
    const append = { streamId: newCounter(), expected: 'any', events: [] } as const;
    await expect(open().append([append])).rejects.toThrow(RangeError);
    await expect(open().append([])).rejects.toThrow(RangeError);
  });

  it('refuses an append that expects a version below 1', async () => {
    const append = { streamId: newCounter(), expected: 0, events: [counted(1)] };
    await expect(open().append([append])).rejects.toThrow(RangeError);
  });

  describe('an append that no store takes', () => {
    it.each(REFUSED)(
      'is refused with all that came with it: an event %s',
      async (_, event, reason) => {
        const store = open();
        const [one, two] = [newCounter(), newCounter()];
        const events = [counted(1), event as Counted];
        const appending = store.append([begins(one), { streamId: two, expected: 'none', events }]);

        await expect(appending).rejects.toThrow(AppendRefusedError);
        await expect(appending).rejects.toMatchObject({ reason });
        expect(await store.load(one)).toMatchObject({ version: 0 });
        expect(await store.load(two)).toMatchObject({ version: 0 });
      },
    );

    it.each(STREAM_IDS_REFUSED)(
      'is refused for the name of its stream: it %s',
      async (_, streamId) => {
        const store = open();
        const appending = store.append([begins(newCounter()), begins(streamId)]);
        await expect(appending).rejects.toMatchObject({ reason: 'stream_id_invalid' });
      },
    );
  });

  describe('an append at the edge of what a store takes', () => {
    it.each(['\\u0000', '\\\\ud83d', '\u0001\u001f', '\u{1f600}', '\u2028'])(
      'is stored when its text only looks like what is refused: %j',
      async (padding) => {
        const store = open();
        const streamId = newCounter();
        const data = { n: 1, padding };
        await store.append([{ streamId, expected: 'none', events: [{ type: 'counted', data }] }]);
        expect((await store.load(streamId)).history).toEqual([{ type: 'counted', data }]);
      },
    );

    it('is stored when it just fits', async () => {
      const store = open();
      const streamId = newCounter();
      const frame = JSON.stringify({ n: 1, padding: '' }).length;
      const data = { n: 1, padding: 'x'.repeat(EVENT_BYTES_MAX - frame) };
      await store.append([{ streamId, expected: 'none', events: [{ type: 'counted', data }] }]);
      expect(await store.load(streamId)).toMatchObject({ version: 1 });
    });
  });

  properties(open, runs);
}
