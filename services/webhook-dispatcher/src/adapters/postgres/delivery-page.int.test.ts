import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import type pg from 'pg';
import { dispatcherSchema } from '../../../test/on-postgres.js';
import type { DeliveryFilter } from '../../application/delivery-log.js';
import { deliveryPage } from './delivery-page.js';

const database = useDatabase(dispatcherSchema);
const WEBHOOK = `wh_${randomUUID()}`;
const OTHER = `wh_${randomUUID()}`;
const FIRST_DAY = Date.UTC(2030, 0, 1);
const DAYS = 5;
const PER_DAY = 6_000;
const DAY_MS = 86_400_000;
const EXHAUSTED_EVERY = 2_000;
const SETUP_MS = 120_000;

beforeAll(async () => {
  for (let day = 0; day < DAYS; day++) await fillDay(day);
  await database().pool.query('analyze deliveries, attempts, outcomes, pending');
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
    const read = await tablesRead({ limit: 50, ...span });
    expect(daysOf(read)).toEqual(['20300103', '20300104', '20300105']);
  });

  it('finds the few that failed among all that did not, by the index of those', async () => {
    const filter = { limit: 100, status: 'exhausted' } as const;
    const { items, nextAfter } = await page(filter);
    expect(items).toHaveLength((DAYS * PER_DAY) / EXHAUSTED_EVERY);
    expect(nextAfter).toBeUndefined();
    const rowsRead = (await tablesRead(filter)).reduce((sum, { rows }) => sum + rows, 0);
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

  it.each<DeliveryFilter>([
    { limit: 50 },
    { limit: 50, status: 'succeeded' },
    { limit: 50, status: 'exhausted' },
    { limit: 50, status: 'retrying' },
    { limit: 50, kind: 'reminder.sent' },
  ])('reads no table from end to end: %j', async (filter) => {
    const read = await tablesRead(filter);
    expect(read.length).toBeGreaterThan(0);
    expect(read.filter(({ how }) => how === 'Seq Scan')).toEqual([]);
  });

  it("holds nothing of another webhook's", async () => {
    expect((await page({ limit: 10 }, OTHER)).items).toEqual([]);
  });
});

const page = (filter: DeliveryFilter, webhookId = WEBHOOK) =>
  deliveryPage(database().pool, webhookId, filter);

const timeOf = (day: number, n: number): number => FIRST_DAY + day * DAY_MS + n * 1_000;

/** A day of deliveries, one a second, with what was attempted and what became of each. */
async function fillDay(day: number): Promise<void> {
  const { pool } = database();
  const date = new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
  const next = new Date(FIRST_DAY + (day + 1) * DAY_MS).toISOString().slice(0, 10);
  for (const table of ['deliveries', 'attempts', 'outcomes']) {
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
       select $1::date, id, 1, now(), 'succeeded', 5 from made
     ), waiting as (
       insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
       select id, $1::date, $4, $4, 0, 2, 'retrying', now() from made where n = 2
     )
     insert into outcomes (day, delivery_id, webhook_id, status, at)
     select $1::date, id, $4, case n % $5 when 3 then 'exhausted' else 'succeeded' end, now() from made`,
    [date, FIRST_DAY + day * DAY_MS, PER_DAY, WEBHOOK.slice('wh_'.length), EXHAUSTED_EVERY],
  );
}

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

/** What the statement of a page read of the delivery tables, by the plan that Postgres carried out. */
async function tablesRead(filter: DeliveryFilter): Promise<readonly TableRead[]> {
  const plans: PlanNode[] = [];
  const explaining = {
    async query({ text, values }: pg.QueryConfig) {
      const { rows } = await database().pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      for (const row of rows) plans.push(row['QUERY PLAN'][0].Plan);
      return { rows: [] };
    },
  };
  await deliveryPage(explaining as unknown as pg.Pool, WEBHOOK, filter);
  return plans.flatMap(nodesOf).flatMap((node) => {
    const { 'Relation Name': table, 'Actual Loops': loops } = node;
    if (table === undefined || loops === 0 || !/^(deliveries|attempts|outcomes)_/.test(table)) {
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
