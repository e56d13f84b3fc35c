import { noticeSchemas } from '@junction/contracts';
import type pg from 'pg';
import type { FailingReads } from '../../../application/ports.js';
import type { FailingTable } from '../../../application/unit-of-work.js';
import { fromStoredId, toStoredId } from '../stored-id.js';

const WEBHOOKS_MAX = 500;
const FAILING_FOR = `last_at >= since + $1 * interval '1 ms'`;

/** Webhooks whose last attempt failed: results keep the first and the last failure since the last success. */
export const failingReads = (pool: pg.Pool): FailingReads => ({
  async purge(before) {
    await pool.query('delete from failing_webhooks where last_at < $1', [before]);
  },

  async failingFor(minMs) {
    const { rows } = await pool.query<{ webhook_id: string; since: Date }>(
      `select webhook_id, since from failing_webhooks where ${FAILING_FOR} limit ${WEBHOOKS_MAX}`,
      [minMs],
    );
    return rows.map((row) => ({
      webhookId: fromStoredId('wh', row.webhook_id),
      since: row.since,
    }));
  },
});

/** The same within a transaction, for one webhook. */
export const failingTable = (tx: pg.ClientBase): FailingTable => ({
  async deleteFailingFor(webhookId, minMs) {
    const { rowCount } = await tx.query(
      `delete from failing_webhooks where webhook_id = $2 and ${FAILING_FOR}`,
      [minMs, toStoredId(webhookId)],
    );
    return rowCount === 1;
  },

  async isByNoticesAlone(webhookId, since) {
    const { rows } = await tx.query<{ by_notices: boolean }>(
      // In this order: of a webhook that waits for a million events the first of them tells.
      `select not ${hasFailed('<> all ($3)')} and ${hasFailed('= any ($3)')} as by_notices`,
      [toStoredId(webhookId), since, Object.keys(noticeSchemas)],
    );
    return rows[0]?.by_notices === true;
  },

  async delete(webhookId) {
    await tx.query('delete from failing_webhooks where webhook_id = $1', [toStoredId(webhookId)]);
  },
});

// What failed since then waits for its next attempt, or has come to its end: of either there is an index
// by webhook, while what was attempted would have to be looked up delivery by delivery.
const hasFailed = (kind: string): string => `exists (
  select from (
    select day, delivery_id from pending where webhook_id = $1 and status = 'retrying'
     union all
    select day, delivery_id from outcomes
     where webhook_id = $1 and status in ('exhausted', 'refused') and at >= $2) f
   where (select d.kind from deliveries d
           where d.day = f.day and d.delivery_id = f.delivery_id) ${kind})`;
