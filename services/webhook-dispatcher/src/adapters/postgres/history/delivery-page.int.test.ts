import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import type pg from 'pg';
import { dispatcherSchema } from '../../../../test/on-postgres.js';
import type { DeliveryFilter } from '../../../application/delivery-log.js';
import { deliveryLog } from './delivery-log.js';
import { deliveryPage } from './delivery-page.js';
import { eventLog } from './event-log.js';
import { webhookHours } from './webhook-hours.js';

const database = useDatabase(dispatcherSchema);
const WEBHOOK = `wh_${randomUUID()}`;
const OTHER = `wh_${randomUUID()}`;
const FIRST_DAY = Date.UTC(2020, 0, 1);
const DAYS = 5;
const PER_DAY = 6_000;
const DAY_MS = 86_400_000;
const EXHAUSTED_EVERY = 2_000;
const SETUP_MS = 120_000;
const ITS_DAY = ['20200103'];
const AROUND_IT = ['20200102', '20200103', '20200104'];

beforeAll(async () => {
  for (let day = 0; day < DAYS; day++) await fillDay(day);
  await database().pool.query(
    'analyze seen_events, deliveries, attempts, outcomes, pending, webhook_hours',
  );
}, SETUP_MS);

describe('a page of deliveries', () => {
  it('is the newest ones, and the cursor leads on without a gap', async () => {
    const first = await page({ limit: 100 });
    const second = await page({ limit: 100, after: first.nextAfter });
    const both = await page({ limit: 200 });
    expect([...first.items, ...second.items]).toEqual(both.items);
    const [newest] = first.items;
    expect(newest?.createdAt.getTime()).toBe(timeOf(DAYS - 1, PER_DAY));
    expect(newest).toMatchObject({ webhookId: WEBHOOK, status: 'succeeded', attempts: 1 });
  });

  it('holds the moments from (inclusive) to (exclusive), read from the days around them alone', async () => {
    const span = { from: new Date(timeOf(3, 10)), to: new Date(timeOf(3, 20)) };
    const { items, nextAfter } = await page({ limit: 50, ...span });
    expect(items.map(({ createdAt }) => createdAt.getTime()).toReversed()).toEqual(
      Array.from({ length: 10 }, (_, n) => timeOf(3, 10 + n)),
    );
    expect(nextAfter).toBeUndefined();
    const read = await tablesRead(pageOf({ limit: 50, ...span }));
    expect(daysOf(read)).toEqual(['20200103', '20200104', '20200105']);
  });

  it('finds the few that failed among all that did not, by the index of those', async () => {
    const filter = { limit: 100, status: 'exhausted' } as const;
    const { items, nextAfter } = await page(filter);
    expect(items).toHaveLength((DAYS * PER_DAY) / EXHAUSTED_EVERY);
    expect(nextAfter).toBeUndefined();
    const rowsRead = (await tablesRead(pageOf(filter))).reduce((sum, { rows }) => sum + rows, 0);
    expect(rowsRead).toBeLessThan(500);
  });

  it('looks at some thousands at most when few fit, and leads on', async () => {
    const filter = { limit: 10, kind: 'reminder.sent' } as const;
    const found: string[] = [];
    let pages = 0;
    let after: string | undefined;
    do {
      const { items, nextAfter } = await page({ ...filter, after });
      found.push(...items.map(({ deliveryId }) => deliveryId));
      after = nextAfter;
      pages++;
    } while (after !== undefined);
    expect(new Set(found).size).toBe(DAYS);
    expect(found).toHaveLength(DAYS);
    expect(pages).toBeGreaterThan((DAYS * PER_DAY) / 5_000);
  });

  it('finds what waits, however old it is', async () => {
    const { items } = await page({ limit: 100, status: 'retrying' });
    expect(items.map(({ createdAt }) => createdAt.getTime()).toReversed()).toEqual(
      Array.from({ length: DAYS }, (_, day) => timeOf(day, 2)),
    );
    expect(items[0]).toMatchObject({ endedAt: null, nextAttemptAt: expect.any(Date) });
  });

  it.each<[number, readonly string[]]>([
    [1, ['20200101', '20200102', '20200103']],
    [4, ['20200102', '20200103', '20200104', '20200105']],
  ])('looks at little more than it shows, in the days before its cursor: %d', async (day, days) => {
    const read = await tablesRead(pageOf({ limit: 50, after: deliveryOf(day, 77) }));
    expect(daysOf(read)).toEqual(days);
    expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(500);
  });

  it.each<DeliveryFilter>([
    { limit: 50 },
    { limit: 50, status: 'succeeded' },
    { limit: 50, status: 'exhausted' },
    { limit: 50, status: 'retrying' },
    { limit: 50, kind: 'reminder.sent' },
  ])('reads no table from end to end: %j', async (filter) => {
    expect(await tablesRead(pageOf(filter))).not.toContainEqual(FROM_END_TO_END);
  });

  it("holds nothing of another webhook's", async () => {
    expect((await page({ limit: 10 }, OTHER)).items).toEqual([]);
  });
});

describe('what is read of deliveries besides', () => {
  it.each<[string, Ask, readonly string[]]>([
    ['one of them', (pool) => logOf(pool).detail(WEBHOOK, USER, deliveryOf(2, 7)), AROUND_IT],
    ['an event', (pool) => eventLog(pool).detail(USER, messageOf(2, 7)), ITS_DAY],
    ['a page of events', (pool) => eventLog(pool).page(USER, { limit: 50 }), []],
    ['statistics', (pool) => webhookHours(pool).read(WEBHOOK, MOMENT, MOMENT), []],
  ])('%s is found by indexes, in its own days', async (_, ask, days) => {
    const read = await tablesRead(ask);
    expect(read).not.toContainEqual(FROM_END_TO_END);
    expect(daysOf(read.filter(({ table }) => /^(deliver|attempt|outcome)/.test(table)))).toEqual(
      days,
    );
    expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(200);
  });
});

type Ask = (pool: pg.Pool) => Promise<unknown>;

const USER = WEBHOOK.slice('wh_'.length);
const MOMENT = new Date(FIRST_DAY);
const FROM_END_TO_END = expect.objectContaining({ how: 'Seq Scan' });

const pageOf =
  (filter: DeliveryFilter): Ask =>
  async (pool) =>
    deliveryPage(pool, WEBHOOK, filter);

const logOf = (pool: pg.Pool) => deliveryLog(pool, async (rows) => rows.map(() => undefined));

const uuidOf = (day: number, n: number): string => {
  const hex = `${timeOf(day, n).toString(16).padStart(12, '0')}7000800000000000${n.toString(16).padStart(4, '0')}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};
const deliveryOf = (day: number, n: number): string => `dlv_${uuidOf(day, n)}`;
/** For the tests an event has the id of its delivery. */
const messageOf = (day: number, n: number): string => `msg_${uuidOf(day, n)}`;

const page = (filter: DeliveryFilter, webhookId = WEBHOOK) =>
  deliveryPage(database().pool, webhookId, filter);

const timeOf = (day: number, n: number): number => FIRST_DAY + day * DAY_MS + n * 1_000;

/** A day of deliveries, one a second, with what was attempted and what became of each. */
async function fillDay(day: number): Promise<void> {
  const { pool } = database();
  const date = new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
  const next = new Date(FIRST_DAY + (day + 1) * DAY_MS).toISOString().slice(0, 10);
  for (const table of ['seen_events', 'deliveries', 'attempts', 'outcomes']) {
    await pool.query(
      `create table ${table}_${date.replaceAll('-', '')} partition of ${table}
         for values from ('${date}') to ('${next}')`,
    );
  }
  await pool.query(
    `with made as (
       select n, (lpad(to_hex($2::bigint + n * 1000), 12, '0') || '7000800000000000' || lpad(to_hex(n), 4, '0'))::uuid as id
         from generate_series(1, $3) n
     ), filed as (
       insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body)
       select $1::date, id, id, $4, $4, case n when 1 then 'reminder.sent' else 'draft.created' end, '{}'
         from made
     ), attempted as (
       insert into attempts (day, delivery_id, n, at, result, total_ms)
       select $1::date, id, 1, now(), case when n = 2 or n % $5 = 3 then 'http_500' else 'succeeded' end, 5
         from made
     ), seen as (
       insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
       select $1::date, id, '/tests', id::text, $4, 'draft.created',
              to_timestamp(($2::bigint + n * 1000) / 1000.0), jsonb_build_object('wh_' || $4::uuid, 'pending')
         from made
     ), counted as (
       insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, latency)
       select md5(id::text)::uuid, to_timestamp($2::bigint / 1000), $4, 1, 0, '{1}' from made
     ), waiting as (
       insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
       select id, $1::date, $4, $4, 0, 2, 'retrying', now() from made where n = 2
     )
     insert into outcomes (day, delivery_id, webhook_id, status, at)
     select $1::date, id, $4, case n % $5 when 3 then 'exhausted' else 'succeeded' end, now() from made`,
    [date, FIRST_DAY + day * DAY_MS, PER_DAY, WEBHOOK.slice('wh_'.length), EXHAUSTED_EVERY],
  );
}

const LARGE = /^(seen_events|deliveries|attempts|outcomes)_|^webhook_hours$/;

interface TableRead {
  readonly how: string;
  readonly table: string;
  readonly rows: number;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

/** What statements read of the large tables, by the plans that Postgres carried out. */
async function tablesRead(ask: Ask): Promise<readonly TableRead[]> {
  const plans: PlanNode[] = [];
  const explaining = {
    async query({ text, values }: pg.QueryConfig) {
      const { rows } = await database().pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      for (const row of rows) plans.push(row['QUERY PLAN'][0].Plan);
      return database().pool.query({ text, values: values as unknown[] });
    },
  };
  await ask(explaining as unknown as pg.Pool);
  expect(plans).not.toEqual([]);
  return plans.flatMap(nodesOf).flatMap((node) => {
    const { 'Relation Name': table, 'Actual Loops': loops } = node;
    if (table === undefined || loops === 0 || !LARGE.test(table)) {
      return [];
    }
    return [{ how: node['Node Type'], table, rows: node['Actual Rows'] * loops }];
  });
}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
];

const daysOf = (read: readonly TableRead[]): readonly string[] =>
  [...new Set(read.map(({ table }) => table.slice(-8)))].toSorted();
