import { expect } from '@jest/globals';
import { tapped } from '@junction/testing';
import type pg from 'pg';

/** Deliveries that a day is filled with. */
export interface Filled {
  /** wh_… */
  readonly webhookId: string;
  readonly userId: string;
  /** Deliveries of the day, one second apart. */
  readonly perDay: number;
  readonly exhaustedEvery: number;
}

/** The UUID of the nth delivery, which was made at that moment. */
export function idAt(timeMs: number, n: number): string {
  const hex = `${timeMs.toString(16).padStart(12, '0')}7000800000000000${n.toString(16).padStart(4, '0')}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * Deliveries of a webhook, one a second from that moment on, with what was attempted and what became of each: the
 * first is of another kind, the second waits after a 500, and now and then one is exhausted after a 503. An event has
 * the id of its delivery.
 */
export async function fillDay(pool: pg.Pool, startMs: number, filled: Filled): Promise<void> {
  const { webhookId, userId, perDay, exhaustedEvery } = filled;
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [date, next] = [dayOf(startMs), dayOf(startMs + 86_400_000)];
  for (const table of ['seen_events', 'deliveries', 'attempts', 'outcomes']) {
    await pool.query(
      `create table if not exists ${table}_${date.replaceAll('-', '')} partition of ${table}
         for values from ('${date}') to ('${next}')`,
    );
  }
  await pool.query(
    `with made as (
       select n, (lpad(to_hex($2::bigint + n * 1000), 12, '0') || '7000800000000000' || lpad(to_hex(n), 4, '0'))::uuid as id
         from generate_series(1, $3) n
     ), filed as (
       insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body)
       select $1::date, id, id, $4, $6, case n when 1 then 'reminder.sent' else 'draft.created' end, '{}'
         from made
     ), attempted as (
       insert into attempts (day, delivery_id, n, at, result, http_status, total_ms)
       select $1::date, id, 1, now(),
              case when n = 2 then 'http_500' when n % $5 = 3 then 'http_503' else 'succeeded' end,
              case when n = 2 then 500 when n % $5 = 3 then 503 else 200 end, 5
         from made
     ), seen as (
       insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
       select $1::date, id, '/tests', id::text, $6, 'draft.created',
              to_timestamp(($2::bigint + n * 1000) / 1000.0), jsonb_build_object('wh_' || $4::uuid, 'pending')
         from made
     ), counted as (
       insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, latency)
       select md5(id::text)::uuid, to_timestamp($2::bigint / 1000), $6, 1, 0, '{1}' from made
     ), waiting as (
       insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
       select id, $1::date, $4, $6, 0, 2, 'retrying', now() from made where n = 2
     )
     insert into outcomes (day, delivery_id, webhook_id, status, at)
     select $1::date, id, $4, case n % $5 when 3 then 'exhausted' else 'succeeded' end, now()
       from made where n <> 2`,
    [date, startMs, perDay, webhookId.slice('wh_'.length), exhaustedEvery, userId],
  );
}

const LARGE = /^(seen_events|deliveries|attempts|outcomes)_|^webhook_hours$/;

/** A read of a table without an index. */
export const FROM_END_TO_END = expect.objectContaining({ how: 'Seq Scan' });

export interface TableRead {
  readonly how: string;
  readonly table: string;
  /** Rows that were looked at, whether they were wanted or not. */
  readonly rows: number;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns what the statements of `ask` read of the large tables, by the plans that Postgres executed. */
export async function tablesRead(
  pool: pg.Pool,
  ask: (pool: pg.Pool) => Promise<unknown>,
): Promise<readonly TableRead[]> {
  const read: TableRead[] = [];
  await ask(explaining(pool, (table) => void read.push(table)));
  expect(read).not.toEqual([]);
  return read.filter(({ table }) => LARGE.test(table));
}

/** Returns a pool whose statements tell what they read of each table, by the plans that Postgres executed. */
export const explaining = (pool: pg.Pool, tell: (read: TableRead) => void): pg.Pool =>
  tapped(pool, async (db, { text, values }) => {
    const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
    for (const node of rows.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan))) {
      const { 'Relation Name': table, 'Actual Loops': loops } = node;
      if (table === undefined || loops === 0) continue;
      const passedOver =
        (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
      const rows = (node['Actual Rows'] + passedOver) * loops;
      tell({ how: node['Node Type'], table, rows });
    }
    return db.query(text, values);
  });

const nodesOf = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
];
