import {
  BEGINNING,
  eventStoreMigrations,
  migrate,
  type ProjectionSet,
  readAll,
  readableEnd,
  rebuildProjection,
  rowProjection,
} from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { until } from '../clock.js';
import type { BenchRun, Figures } from '../suite.js';
import { type Booked, ledgerCodec, withPool } from './ledger.js';

const CONNECTIONS_MAX = 6;
const PAGE = 1_000;
const FILLED_AT_ONCE = 50_000;
const BOOKINGS_OF_AN_ACCOUNT = 10;
const READABLE_WITHIN_MS = 180_000;

export interface ReaderRuns {
  readonly events: number;
  /** Number of those events that belong to the category of the read model. */
  readonly projected: number;
}

/** Reading everything that was ever stored, and rebuilding a read model of a part of it. */
export const measureReaders = (
  databaseUrl: string,
  { events, projected }: ReaderRuns,
  { say, signal }: Pick<BenchRun, 'say' | 'signal'>,
): Promise<Figures> =>
  withPool(databaseUrl, CONNECTIONS_MAX, async (pool) => {
    await migrate(databaseUrl, eventStoreMigrations);
    await pool.query(BALANCES);
    await fill(pool, 'other', events - projected);
    await fill(pool, 'account', projected);
    await pool.query('vacuum analyze events');
    await untilReadable(pool, signal);
    say(`${events} events are stored`);
    return {
      replay_per_s: await perSecond(events, () => replay(pool, events)),
      rebuild_per_s: await rebuild(pool, projected, say),
    };
  });

const BALANCES = `
create table balances (
  account_id text    primary key,
  bookings   integer not null,
  amount     integer not null
)`;

const balances = rowProjection<{ bookings: number; amount: number }, Booked>({
  table: 'balances',
  key: 'account_id',
  aggregate: 'account',
  evolve: (row, { data }) => ({
    bookings: (row?.bookings ?? 0) + 1,
    amount: (row?.amount ?? 0) + data.amount,
  }),
});

/** Stores events as appends would have: streams that grow side by side, many transactions. */
async function fill(pool: pg.Pool, category: string, events: number): Promise<void> {
  const streams = Math.max(1, Math.floor(events / BOOKINGS_OF_AN_ACCOUNT));
  for (let from = 0; from < events; from += FILLED_AT_ONCE) {
    await pool.query(FILL, [category, from, Math.min(from + FILLED_AT_ONCE, events), streams]);
  }
}

const FILL = `
insert into events
  (stream_id, version, tx, event_id, type, schema_version, data, metadata, recorded_at)
select $1::text || '-' || md5((n % $4::integer)::text), n / $4 + 1, pg_current_xact_id(),
       gen_random_uuid(), 'booked', 1,
       jsonb_build_object('account', gen_random_uuid(), 'amount', 4711,
                          'text', 'For the printing of the minutes'),
       '{}', now()
  from generate_series($2::integer, $3::integer - 1) n`;

/** A transaction that is open anywhere on the server, in whatever database, holds back what may be read. */
const untilReadable = (pool: pg.Pool, signal: AbortSignal): Promise<true> =>
  until(
    'Reading all events',
    async () => {
      const { rows } = await pool.query<{ newest: string }>(
        'select tx::text as newest from events order by tx desc, position desc limit 1',
      );
      return BigInt(rows[0]?.newest ?? 0) <= (await readableEnd(pool)).tx || undefined;
    },
    { deadlineMs: READABLE_WITHIN_MS, signal },
  );

/** Page by page, every event decoded. */
async function replay(pool: pg.Pool, wanted: number): Promise<void> {
  let seen = 0;
  for (let from = BEGINNING; ; ) {
    const page = await readAll(pool, from, PAGE);
    for (const event of page) await ledgerCodec.decode(event.streamId, event);
    seen += page.length;
    from = page.at(-1) ?? from;
    if (page.length < PAGE) break;
  }
  if (seen !== wanted) throw new Error(`${seen} of ${wanted} events were read.`);
}

/** Fills a read model beside the empty one that answers, and switches over. */
async function rebuild(pool: pg.Pool, events: number, say: BenchRun['say']): Promise<number> {
  const set: ProjectionSet<Booked> = { pool, codec: ledgerCodec, inline: [balances] };
  return perSecond(events, async () => {
    let told = '';
    for await (const { phase } of rebuildProjection(set, balances.table)) {
      if (phase !== told) say(`rebuild: ${phase}`);
      told = phase;
    }
  });
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return (count / (performance.now() - beganMs)) * 1_000;
}
