import { randomUUID } from 'node:crypto';
import {
  eventStoreMigrations,
  migrate,
  postgresEventStore,
} from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { median } from '../statistics.js';
import type { Figures } from '../suite.js';
import { booked, ledgerCodec, newAccount, publishTo, withPool } from './ledger.js';

const WRITERS = 16;
const BATCH = 20;

export interface AppendRuns {
  readonly rounds: number;
  /** Turns that each way of writing has in a round; `turnMs` is the length of a turn. */
  readonly turns: number;
  readonly turnMs: number;
}

/** A way of writing: stores so many events at each call. */
interface Way {
  readonly events: number;
  write(): Promise<unknown>;
}

/**
 * Measures appends beside bare inserts of the same rows, over the same pool, each prepared. The ways of writing
 * take short turns, so that other work of the machine meets all of them. Returns the median, over the rounds, of
 * each round's ratios.
 */
export const measureAppends = (databaseUrl: string, runs: AppendRuns): Promise<Figures> =>
  withPool(databaseUrl, WRITERS, async (pool) => {
    await migrate(databaseUrl, eventStoreMigrations);
    await pool.query(BARE_TABLE);
    const ways = waysOn(pool);
    const { bare, full } = ways;
    const single = await rounds({ bare, full }, 1, runs);
    const many = await rounds(ways, WRITERS, runs);
    const ratio = (rates: Rates<string>[], way: string, to: string) =>
      median(rates.map((round) => (round[way] ?? 0) / (round[to] ?? 0)));
    return {
      append_1_ratio: ratio(single, 'full', 'bare'),
      append_16_ratio: ratio(many, 'full', 'bare'),
      append_16_plain_ratio: ratio(many, 'plain', 'bare'),
      append_batch_gain: ratio(many, 'batch', 'full'),
      append_collected_gain: ratio(many, 'collected', 'full'),
      bare_16_per_s: median(many.map(({ bare }) => bare)),
      append_16_per_s: median(many.map(({ full }) => full)),
    };
  });

/** A table with the columns and indexes of a partition of events, without partitions and constraints. */
const BARE_TABLE = `
create table bare_events (like events including defaults including identity including indexes);
create unique index on bare_events (stream_id, version)`;

const BARE = `
insert into bare_events
  (stream_id, version, tx, event_id, type, schema_version, data, metadata, recorded_at)
values ($1, 1, pg_current_xact_id(), $2, $3, 1, $4, $5, now())
returning position`;

function waysOn(pool: pg.Pool) {
  const options = { pool, codec: ledgerCodec, source: 'junction/bench' };
  const plain = postgresEventStore(options);
  const full = postgresEventStore({ ...options, publish: publishTo('bench.events') });
  const bareRow = () => {
    const { type, data } = booked();
    return [newAccount(), randomUUID(), type, JSON.stringify(data), '{}'];
  };
  const append = () => [{ streamId: newAccount(), expected: 'none' as const, events: [booked()] }];
  return {
    bare: {
      events: 1,
      write: () => pool.query({ name: 'bare', text: BARE, values: bareRow() }),
    },
    /** Appends that also write the head of the stream, the command and a record. */
    full: { events: 1, write: () => full.append(append(), { commandId: randomUUID() }) },
    /** Appends that also write the head of the stream. */
    plain: { events: 1, write: () => plain.append(append()) },
    /** Appends as in `full`, with several events of one stream and one command. */
    batch: {
      events: BATCH,
      write: () =>
        full.append(
          [
            {
              streamId: newAccount(),
              expected: 'none',
              events: Array.from({ length: BATCH }, booked),
            },
          ],
          { commandId: randomUUID() },
        ),
    },
    /** Several as full at once, each with its stream and its command. */
    collected: {
      events: BATCH,
      write: () =>
        full.appendMany(
          Array.from({ length: BATCH }, () => ({
            appends: append(),
            context: { commandId: randomUUID() },
          })),
        ),
    },
  };
}

/** Events a second. */
type Rates<Name extends string> = Readonly<Record<Name, number>>;

async function rounds<Name extends string>(
  ways: Readonly<Record<Name, Way>>,
  writers: number,
  { rounds, turns, turnMs }: AppendRuns,
): Promise<Rates<Name>[]> {
  const all = Object.entries<Way>(ways);
  // Connections opened, statements prepared.
  for (const [, way] of all) await turn(way, writers, turnMs);
  const rates: Rates<Name>[] = [];
  for (let round = 1; round <= rounds; round++) {
    const totals = new Map(all.map(([name]) => [name, { events: 0, ms: 0 }]));
    for (let time = 1; time <= turns; time++) {
      for (const [name, way] of all) {
        const total = totals.get(name) ?? { events: 0, ms: 0 };
        const { events, ms } = await turn(way, writers, turnMs);
        totals.set(name, { events: total.events + events, ms: total.ms + ms });
      }
    }
    rates.push(
      Object.fromEntries(
        Array.from(totals, ([name, { events, ms }]) => [name, (events / ms) * 1_000]),
      ) as Rates<Name>,
    );
  }
  return rates;
}

/** Lets each writer write until the time is over. */
async function turn(
  { events, write }: Way,
  writers: number,
  turnMs: number,
): Promise<{ readonly events: number; readonly ms: number }> {
  let written = 0;
  const beganMs = performance.now();
  const writer = async (): Promise<void> => {
    while (performance.now() - beganMs < turnMs) {
      await write();
      written += events;
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  return { events: written, ms: performance.now() - beganMs };
}
