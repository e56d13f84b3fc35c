import { expect } from '@jest/globals';
import { eventually } from '@junction/testing';
import type pg from 'pg';
import { BEGINNING, inTransaction, readAll } from '../src/index.js';
import { counterStore, counts } from './counters.js';

/** Appends in transactions that overlap, so that positions and transactions differ in their order. */
export async function overlap(pool: pg.Pool, streams: readonly string[]): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await inTransaction(pool, async (early) => {
      await early.query('select pg_current_xact_id()');
      await inTransaction(pool, async (late) => {
        for (const [index, streamId] of streams.entries()) {
          const tx = (index + round) % 2 === 0 ? early : late;
          await counterStore(pool)
            .within(tx)
            .append([counts(streamId)]);
        }
      });
    });
  }
}

/** As the events would stand in a cluster that has seen fewer transactions than they have. */
export async function countAhead(pool: pg.Pool): Promise<void> {
  await pool.query(`
    alter table events disable trigger events_are_append_only;
    update events set tx = (tx::text::bigint + 5000000000)::text::xid8;
    alter table events enable trigger events_are_append_only;
    update streams set last_tx = (last_tx::text::bigint + 5000000000)::text::xid8;
    update projection_checkpoints set tx = (tx::text::bigint + 5000000000)::text::xid8
     where tx > '0'`);
}

/** All events in reading order, once nothing holds them back. */
export const readEverything = async (pool: pg.Pool) =>
  eventually(async () => {
    const events = await readAll(pool, BEGINNING, 10_000);
    const { rows } = await pool.query<{ count: number }>('select count(*)::int from events');
    expect(events).toHaveLength(rows[0]?.count ?? -1);
    return events;
  });

export const idOf = ({ eventId }: { readonly eventId: string }): string => eventId;
