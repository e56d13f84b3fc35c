import { describe, expect, it } from '@jest/globals';
import { eventually, useDatabase } from '@junction/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { counterStore, counts, eventStoreDatabase, newCounter } from '../../../test/counters.js';
import { inTransaction } from '../transaction.js';
import { BEGINNING, type Position, readAll } from './read-all.js';
import { readerFenceAge } from './reader-fence.js';
import type { StoredEvent } from './stored-event.js';

const database = useDatabase(eventStoreDatabase);

describe('a reader of all events', () => {
  it('sees every event once, and each stream in its order, however transactions overlap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
        const streams = Array.from({ length: STREAMS }, newCounter);
        const reader = newReader(streams);
        const committed = await play(steps, streams, reader);

        await eventually(async () => {
          await reader.readOn();
          expect(reader.seen()).toHaveLength(committed);
        });
        expect(new Set(reader.seen()).size).toBe(committed);
        for (const stream of streams) {
          const ours = reader.seen().filter((one) => one.startsWith(stream));
          expect(ours).toEqual(ours.map((_, index) => `${stream} ${index + 1}`));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('reads no more than its limit', async () => {
    const stream = newCounter();
    await counterStore(database().pool).append([counts(stream, 3)]);
    await eventually(async () => {
      const all = await readAll(database().pool, BEGINNING, 10_000);
      expect(all.filter(({ streamId }) => streamId === stream)).toHaveLength(3);
    });
    expect(await readAll(database().pool, BEGINNING, 2)).toHaveLength(2);
    await expect(readAll(database().pool, BEGINNING, 10_001)).rejects.toThrow(RangeError);
  });
});

it('the age of the fence is that of the oldest transaction that writes', async () => {
  const age = readerFenceAge(database().pool);
  await inTransaction(database().pool, async (tx) => {
    await tx.query('select pg_current_xact_id()');
    await database().pool.query('select pg_current_xact_id()');
    // Another database of the cluster may have an older one.
    for (let n = 0; n < 2; n++) {
      const { rows } = await tx.query<{ s: number }>(
        'select extract(epoch from clock_timestamp() - now())::float8 as s',
      );
      expect(await age()).toBeGreaterThanOrEqual(rows[0]?.s ?? Number.NaN);
    }
  });
});

const TRANSACTIONS = 3;

const STREAMS = 3;

type Step =
  | { readonly kind: 'write' | 'commit' | 'rollback'; readonly who: number }
  | { readonly kind: 'append'; readonly who: number; readonly stream: number }
  | { readonly kind: 'read' };

const who = fc.integer({ min: 0, max: TRANSACTIONS - 1 });

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('write', 'commit', 'commit', 'rollback'), who }),
  fc.record({
    kind: fc.constant('append'),
    who,
    stream: fc.integer({ min: 0, max: STREAMS - 1 }),
  }),
  fc.record({ kind: fc.constant('read') }),
);

/** Plays the steps in transactions that overlap, and returns how many events were committed. */
async function play(
  steps: readonly Step[],
  streams: readonly string[],
  reader: Reader,
): Promise<number> {
  const players = await Promise.all(
    Array.from({ length: TRANSACTIONS }, async () => new Player(await database().pool.connect())),
  );
  try {
    for (const one of steps) {
      if (one.kind === 'read') await reader.readOn();
      else await players[one.who]?.play(one, streams, players);
    }
    for (const player of players) await player.end('commit');
    return players.reduce((sum, { committed }) => sum + committed, 0);
  } finally {
    for (const player of players) player.client.release();
  }
}

class Player {
  committed = 0;
  readonly held = new Set<number>();
  #isOpen = false;
  #appended = 0;

  constructor(readonly client: pg.PoolClient) {}

  async play(
    step: Exclude<Step, { kind: 'read' }>,
    streams: readonly string[],
    players: readonly Player[],
  ): Promise<void> {
    if (step.kind === 'commit' || step.kind === 'rollback') return this.end(step.kind);
    if (!this.#isOpen) await this.client.query('begin');
    this.#isOpen = true;
    if (step.kind !== 'append') {
      await this.client.query('select pg_current_xact_id()');
      return;
    }
    // The steps are played one after the other: waiting for a lock would be waiting for ever.
    const isTaken = players.some((other) => other !== this && other.held.has(step.stream));
    const streamId = streams[step.stream];
    if (isTaken || streamId === undefined) return;
    await counterStore(database().pool)
      .within(this.client)
      .append([counts(streamId)]);
    this.held.add(step.stream);
    this.#appended++;
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    if (this.#isOpen) await this.client.query(how);
    if (how === 'commit') this.committed += this.#appended;
    this.#isOpen = false;
    this.#appended = 0;
    this.held.clear();
  }
}

interface Reader {
  readOn(): Promise<void>;
  seen(): readonly string[];
}

/** Reads on from where it stopped, as a projection does, and records the events of some streams. */
function newReader(streams: readonly string[]): Reader {
  const noted: string[] = [];
  let position: Position = BEGINNING;
  const note = ({ streamId, version }: StoredEvent) => {
    if (streams.includes(streamId)) noted.push(`${streamId} ${version}`);
  };
  return {
    async readOn() {
      const events = await readAll(database().pool, position, 1_000);
      for (const event of events) note(event);
      position = events.at(-1) ?? position;
    },
    seen: () => noted,
  };
}
