import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppendRefusedError } from '../append-refused-error.js';
import { EVENT_BYTES_MAX } from '../appends.js';
import { jsonCodec, schema } from '../event-codec.js';
import type { BatchingEventStore, ExpectedVersion } from '../event-store.js';
import { StreamMovedError } from '../stream-moved-error.js';
import { type Counted, counted } from './append-program.js';
import { properties, type StoredPlace } from './event-store-properties.js';

/** How the contract's event is stored: a number, and perhaps some padding. */
export const countedCodec = jsonCodec<Counted>({
  counted: schema((data) => {
    if (typeof (data as Partial<Counted['data']>).n === 'number') return data as Counted['data'];
    throw new TypeError('n is no number');
  }),
});

const RACERS = 16;

export interface ContractOptions {
  /** Stores events by `countedCodec`. May give the same store each time. */
  readonly open: Open;
  /** Everything stored, as a reader of all events meets it. */
  readonly readAll: () => Promise<readonly StoredPlace[]>;
  /** How many programs each property plays. Default 50. */
  readonly runs?: number;
}

const RUNS = 50;

/** What every event store promises, as tests. */
export function eventStoreContract({ open, readAll, runs = RUNS }: ContractOptions): void {
  loading(open);
  expectedVersions(open);
  races(open);
  severalStreams(open);
  repeatedCommands(open);
  commandIds(open);
  records(open);
  refusals(open);
  limits(open);
  batches(open);
  properties(open, readAll, runs);
}

type Open = () => BatchingEventStore<Counted>;

function loading(open: Open): void {
  describe('loading', () => {
    it('gives an empty history at version 0 for a stream that is not there', async () => {
      expect(await open().load(newStream())).toEqual({ history: [], version: 0 });
    });

    it('gives the events of one stream in their order', async () => {
      const store = open();
      const stream = newStream();
      await store.append([
        { streamId: stream, expected: 'none', events: [counted(1), counted(2)] },
      ]);
      await store.append([{ streamId: newStream(), expected: 'none', events: [counted(9)] }]);
      await store.append([{ streamId: stream, expected: 2, events: [counted(3)] }]);

      const history = [counted(1), counted(2), counted(3)];
      expect(await store.load(stream)).toEqual({ history, version: 3 });
    });
  });
}

const EXPECTATIONS: readonly [ExpectedVersion, number, 'stored' | 'refused'][] = [
  ['any', 0, 'stored'],
  ['any', 2, 'stored'],
  ['none', 0, 'stored'],
  ['none', 2, 'refused'],
  ['exists', 0, 'refused'],
  ['exists', 2, 'stored'],
  [2, 2, 'stored'],
  [1, 2, 'refused'],
  [3, 2, 'refused'],
  [1, 0, 'refused'],
];

function expectedVersions(open: Open): void {
  describe('the expected version', () => {
    it.each(EXPECTATIONS)(
      '%s of a stream at version %d: %s',
      async (expected, version, outcome) => {
        const store = open();
        const streamId = newStream();
        const before = Array.from({ length: version }, (_, n) => counted(n));
        if (version > 0) await store.append([{ streamId, expected: 'none', events: before }]);

        const appending = store.append([{ streamId, expected, events: [counted(99)] }]);
        if (outcome === 'refused') {
          await expect(appending).rejects.toThrow(StreamMovedError);
          await expect(appending).rejects.toMatchObject({ actual: { [streamId]: version } });
        } else {
          expect((await appending).streams).toEqual([{ streamId, version: version + 1 }]);
        }
        const stored = version + (outcome === 'stored' ? 1 : 0);
        expect(await store.load(streamId)).toMatchObject({ version: stored });
      },
    );

    it('is nothing a store guesses at: versions below 1 are refused', async () => {
      const append = { streamId: newStream(), expected: 0, events: [counted(1)] };
      await expect(open().append([append])).rejects.toThrow(RangeError);
    });
  });
}

function races(open: Open): void {
  describe('a race', () => {
    it('lets one of sixteen racers win and tells the others the version that won', async () => {
      const store = open();
      const streamId = newStream();
      const race = Array.from({ length: RACERS }, (_, n) =>
        store.append([{ streamId, expected: 'none', events: [counted(n)] }]),
      );

      const outcomes = await Promise.allSettled(race);
      const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(lost).toHaveLength(RACERS - 1);
      for (const reason of lost) expect(reason).toBeInstanceOf(StreamMovedError);
      for (const reason of lost) expect(reason).toMatchObject({ actual: { [streamId]: 1 } });
      expect(await store.load(streamId)).toMatchObject({ version: 1 });
    });
  });
}

function severalStreams(open: Open): void {
  describe('an append to several streams', () => {
    it('is stored in all of them', async () => {
      const store = open();
      const [one, two] = [newStream(), newStream()];
      const appended = await store.append([
        { streamId: one, expected: 'none', events: [counted(1), counted(2)] },
        { streamId: two, expected: 'any', events: [counted(3)] },
      ]);

      expect(appended.events.map(({ streamId, version }) => [streamId, version])).toEqual([
        [one, 1],
        [one, 2],
        [two, 1],
      ]);
      expect(await store.load(two)).toEqual({ history: [counted(3)], version: 1 });
    });

    it('is stored in none when one of them is not as expected', async () => {
      const store = open();
      const [one, two] = [newStream(), newStream()];
      const appending = store.append([
        { streamId: one, expected: 'none', events: [counted(1)] },
        { streamId: two, expected: 'exists', events: [counted(2)] },
      ]);

      await expect(appending).rejects.toHaveProperty('actual', { [two]: 0 });
      expect(await store.load(one)).toMatchObject({ version: 0 });
    });
  });
}

function repeatedCommands(open: Open): void {
  describe('a repeated command', () => {
    it('stores nothing and answers with what was stored the first time', async () => {
      const store = open();
      const [streamId, commandId] = [newStream(), randomUUID()];
      const append = { streamId, expected: 'none', events: [counted(1), counted(2)] } as const;
      const first = await store.append([append], { commandId });
      const second = await store.append([append], { commandId });

      expect(first.repeated).toBe(false);
      expect(second).toEqual({ ...first, repeated: true });
      expect(await store.load(streamId)).toMatchObject({ version: 2 });
    });

    it('wins over the conflict it would meet by now, and over what it would decide by now', async () => {
      const store = open();
      const [streamId, commandId] = [newStream(), randomUUID()];
      const first = await store.append([{ streamId, expected: 'none', events: [counted(1)] }], {
        commandId,
      });
      await store.append([{ streamId, expected: 1, events: [counted(2)] }]);

      const events = [counted(7), counted(8)];
      const again = await store.append([{ streamId, expected: 'none', events }], { commandId });
      expect(again).toEqual({ ...first, repeated: true });
    });

    it('is stored once when all its repeats arrive together', async () => {
      const store = open();
      const [streamId, commandId] = [newStream(), randomUUID()];
      const append = { streamId, expected: 'none', events: [counted(1)] } as const;
      const outcomes = await Promise.all(
        Array.from({ length: RACERS }, () => store.append([append], { commandId })),
      );

      expect(outcomes.filter(({ repeated }) => !repeated)).toHaveLength(1);
      expect(new Set(outcomes.map(({ events }) => events[0]?.eventId)).size).toBe(1);
      expect(await store.load(streamId)).toMatchObject({ version: 1 });
    });
  });
}

function commandIds(open: Open): void {
  describe('a command id', () => {
    it('may be tried again when it was refused', async () => {
      const store = open();
      const [streamId, commandId] = [newStream(), randomUUID()];
      const events = [counted(1)];
      await expect(
        store.append([{ streamId, expected: 'exists', events }], { commandId }),
      ).rejects.toThrow(StreamMovedError);

      const again = await store.append([{ streamId, expected: 'none', events }], { commandId });
      expect(again.repeated).toBe(false);
    });

    it('cannot lend its id to something else', async () => {
      const store = open();
      const commandId = randomUUID();
      const to = (streamId: string) =>
        store.append([{ streamId, expected: 'none', events: [counted(1)] }], { commandId });
      await to(newStream());
      await expect(to(newStream())).rejects.toMatchObject({ code: 'command_id_reused' });
    });

    it('can be recalled, and one that never was cannot', async () => {
      const store = open();
      const [streamId, commandId] = [newStream(), randomUUID()];
      const first = await store.append([{ streamId, expected: 'none', events: [counted(1)] }], {
        commandId,
      });

      expect(await store.recall(commandId, [streamId])).toEqual({ ...first, repeated: true });
      expect(await store.recall(randomUUID(), [streamId])).toBeUndefined();
    });
  });
}

function records(open: Open): void {
  it('keeps with each event who did it and its place', async () => {
    const streamId = newStream();
    const metadata = { actor: { kind: 'user', id: randomUUID() }, correlationId: 'c-1' } as const;
    const append = { streamId, expected: 'none', events: [counted(1)] } as const;
    const { events } = await open().append([append], { metadata });

    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ streamId, version: 1, type: 'counted', metadata });
    expect(events[0]?.event).toEqual(counted(1));
  });

  it('refuses an append without events', async () => {
    const append = { streamId: newStream(), expected: 'any', events: [] } as const;
    await expect(open().append([append])).rejects.toThrow(RangeError);
    await expect(open().append([])).rejects.toThrow(RangeError);
  });
}

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

function refusals(open: Open): void {
  describe('an append that no store takes', () => {
    it.each(REFUSED)(
      'is refused with all that came with it: an event %s',
      async (_, event, reason) => {
        const store = open();
        const [one, two] = [newStream(), newStream()];
        const events = [counted(1), event as Counted];
        const appending = store.append([none(one, 1), { streamId: two, expected: 'none', events }]);

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
        const appending = store.append([none(newStream(), 1), none(streamId, 1)]);
        await expect(appending).rejects.toMatchObject({ reason: 'stream_id_invalid' });
      },
    );

    it('is refused when it expects a version that has not been yet', async () => {
      const store = open();
      const streamId = newStream();
      await store.append([none(streamId, 1)]);
      const events = [counted(2)];
      await expect(store.append([{ streamId, expected: 2, events }])).rejects.toMatchObject({
        name: 'StreamMovedError',
        actual: { [streamId]: 1 },
      });
    });
  });
}

function limits(open: Open): void {
  describe('an append at the edge of what a store takes', () => {
    it.each(['\\u0000', '\\\\ud83d', '\u0001\u001f', '\u{1f600}', '\u2028'])(
      'is stored when its text only looks like what is refused: %j',
      async (padding) => {
        const store = open();
        const streamId = newStream();
        const data = { n: 1, padding };
        await store.append([{ streamId, expected: 'none', events: [{ type: 'counted', data }] }]);
        expect((await store.load(streamId)).history).toEqual([{ type: 'counted', data }]);
      },
    );

    it('is stored when it just fits', async () => {
      const store = open();
      const streamId = newStream();
      const frame = JSON.stringify({ n: 1, padding: '' }).length;
      const data = { n: 1, padding: 'x'.repeat(EVENT_BYTES_MAX - frame) };
      await store.append([{ streamId, expected: 'none', events: [{ type: 'counted', data }] }]);
      expect(await store.load(streamId)).toMatchObject({ version: 1 });
    });
  });
}

function batches(open: Open): void {
  describe('a batch', () => {
    it('is stored whole or not at all, also when one of its command ids was lent', async () => {
      const store = open();
      const [lent, fresh] = [randomUUID(), newStream()];
      await store.append([none(newStream(), 1)], { commandId: lent });
      const batch = [
        { appends: [none(fresh, 1)] },
        { appends: [none(newStream(), 2)], context: { commandId: lent } },
      ];

      await expect(store.appendMany(batch)).rejects.toMatchObject({ code: 'command_id_reused' });
      expect(await store.load(fresh)).toMatchObject({ version: 0 });
    });

    it('of none is nothing', async () => {
      expect(await open().appendMany([])).toEqual([]);
    });
  });
}

const newStream = (): string => `counter-${randomUUID()}`;

const none = (streamId: string, n: number) =>
  ({ streamId, expected: 'none', events: [counted(n)] }) as const;
