import { noticeSchemas } from '@junction/contracts';
import type pg from 'pg';
import type { FailingTable } from '../../../application/unit-of-work.js';
import type { FailingReads, FailingWebhook } from '../../../application/webhooks/ports.js';
import { statement } from '../statement.js';

const WEBHOOKS_MAX = 500;
const FAILING_FOR = `last_at >= since + :min_ms * interval '1 ms'`;
const UNTOLD = '(told_at is null or told_at < :told_before)';

/** Webhooks whose last attempt failed: results keep the first and the last failure since the last success. */
export const failingReads = (pool: pg.Pool): FailingReads => ({
  async purge(before) {
    await purgeFailing(pool, { before });
  },

  async failingFor(minMs) {
    return (await readFailing(pool, { min_ms: minMs })).rows;
  },

  async untold(minMs, toldBefore) {
    return (await readUntold(pool, { min_ms: minMs, told_before: toldBefore })).rows;
  },
});

/** The same within a transaction, for one webhook. */
export const failingTable = (tx: pg.ClientBase): FailingTable => ({
  async deleteFailingFor(webhookId, minMs) {
    const { rowCount } = await deleteFailingFor(tx, { webhook_id: webhookId, min_ms: minMs });
    return rowCount === 1;
  },

  async tell(webhookId, { since, at, toldBefore }) {
    const values = { webhook_id: webhookId, since, at, told_before: toldBefore };
    return (await tellFailing(tx, values)).rowCount === 1;
  },

  async reasons(webhookIds) {
    const { rows } = await readReasons(tx, { webhook_ids: webhookIds });
    return new Map(rows.map((row) => [row.webhook_id, row.reason]));
  },

  async isByNoticesAlone(webhookId, since) {
    const { rows } = await readByNotices(tx, {
      webhook_id: webhookId,
      since,
      notices: Object.keys(noticeSchemas),
    });
    return rows[0]?.by_notices === true;
  },

  async delete(webhookId) {
    await deleteFailing(tx, { webhook_id: webhookId });
  },
});

// A delivery that failed since then waits for its next attempt or has ended: both tables have an index by webhook,
// while attempts would have to be looked up delivery by delivery.
const hasFailed = (kind: string): string => `exists (
  select from (
    select day, delivery_id from pending where webhook_id = :webhook_id and status = 'retrying'
     union all
    select day, delivery_id from outcomes
     where webhook_id = :webhook_id and status in ('exhausted', 'refused') and at >= :since) f
   where (select d.kind from deliveries d
           where d.day = f.day and d.delivery_id = f.delivery_id) ${kind})`;

const FAILING = `
select webhook_id as "webhookId", w.user_id as "userId", f.since, f.reason
  from failing_webhooks f join webhooks w using (webhook_id)`;

const purgeFailing = statement(
  'purge_failing',
  'delete from failing_webhooks where last_at < :before',
);

const readFailing = statement<FailingWebhook>(
  'failing_webhooks',
  `${FAILING} where ${FAILING_FOR} limit ${WEBHOOKS_MAX}`,
  { webhookId: 'wh' },
);

const readUntold = statement<FailingWebhook>(
  'untold_failing',
  `${FAILING} where ${FAILING_FOR} and ${UNTOLD} and w.status = 'active' limit ${WEBHOOKS_MAX}`,
  { webhookId: 'wh' },
);

const tellFailing = statement(
  'tell_failing',
  `update failing_webhooks set told_at = :at
    where webhook_id = :webhook_id and date_trunc('milliseconds', since) = :since and ${UNTOLD}`,
  { webhook_id: 'wh' },
);

const readReasons = statement<{ webhook_id: string; reason: string }>(
  'failing_reasons',
  'select webhook_id, reason from failing_webhooks where webhook_id = any (:webhook_ids::uuid[])',
  { webhook_ids: 'wh', webhook_id: 'wh' },
);

const deleteFailingFor = statement(
  'delete_failing_for',
  `delete from failing_webhooks where webhook_id = :webhook_id and ${FAILING_FOR}`,
  { webhook_id: 'wh' },
);

const deleteFailing = statement(
  'delete_failing',
  'delete from failing_webhooks where webhook_id = :webhook_id',
  { webhook_id: 'wh' },
);

// In this order: of a webhook that waits for a million events the first of them tells.
const readByNotices = statement<{ by_notices: boolean }>(
  'failing_by_notices',
  `select not ${hasFailed('<> all (:notices)')} and ${hasFailed('= any (:notices)')} as by_notices`,
  { webhook_id: 'wh' },
);
