import { noticeSchemas } from '@junction/contracts';
import type { Queryable } from '@junction/eventsourcing/postgres';
import type { FailingWebhook } from '../../../application/webhooks/ports.js';
import { all, first, some, statement, table } from '../statement.js';

const WEBHOOKS_MAX = 500;
const FAILING_FOR = `last_at >= since + :minMs * interval '1 ms'`;
const UNTOLD = '(told_at is null or told_at < :toldBefore)';

const FAILING = `
select webhook_id as "webhookId", w.user_id as "userId", f.since, f.reason
  from failing_webhooks f join webhooks w using (webhook_id)`;

/** Webhooks whose last attempt failed: results keep the first and the last failure since the last success. */
export const failingReads = table({
  /** Deletes the rows of webhooks whose last failure was before that. */
  purge: some<{ before: Date }>(
    'purge_failing',
    'delete from failing_webhooks where last_at < :before',
  ),

  /** Returns some of the webhooks whose failures span that long. */
  failingFor: all<{ minMs: number }, FailingWebhook>(
    'failing_webhooks',
    `${FAILING} where ${FAILING_FOR} limit ${WEBHOOKS_MAX}`,
    { webhookId: 'wh' },
  ),

  /** Returns some of the active ones among them whose owner was not notified of it, or before that moment. */
  untold: all<{ minMs: number; toldBefore: Date }, FailingWebhook>(
    'untold_failing',
    `${FAILING} where ${FAILING_FOR} and ${UNTOLD} and w.status = 'active' limit ${WEBHOOKS_MAX}`,
    { webhookId: 'wh' },
  ),
});

// A delivery that failed since then waits for its next attempt or has ended: both tables have an index by webhook,
// while attempts would have to be looked up delivery by delivery.
const hasFailed = (kind: string): string => `exists (
  select from (
    select day, delivery_id from pending where webhook_id = :webhookId and status = 'retrying'
     union all
    select day, delivery_id from outcomes
     where webhook_id = :webhookId and status in ('exhausted', 'refused') and at >= :since) f
   where (select d.kind from deliveries d
           where d.day = f.day and d.delivery_id = f.delivery_id) ${kind})`;

type Since = { readonly webhookId: string; readonly since: Date };

// In this order: of a webhook that waits for a million events the first of them tells.
const readByNotices = first<Since & { notices: readonly string[] }, { byNotices: boolean }>(
  'failing_by_notices',
  `select not ${hasFailed('<> all (:notices)')} and ${hasFailed('= any (:notices)')} as "byNotices"`,
  { webhookId: 'wh' },
);

const readReasons = statement<{ webhookId: string; reason: string }>(
  'failing_reasons',
  `select webhook_id as "webhookId", reason from failing_webhooks
    where webhook_id = any (:webhookIds::uuid[])`,
  { webhookIds: 'wh', webhookId: 'wh' },
);

/** The same within a transaction, for one webhook. The rows are written with the results. */
export const failingTable = table({
  /** Deletes the row when the webhook's failures span that long. Returns false when they do not (any more). */
  deleteFailingFor: some<{ webhookId: string; minMs: number }>(
    'delete_failing_for',
    `delete from failing_webhooks where webhook_id = :webhookId and ${FAILING_FOR}`,
    { webhookId: 'wh' },
  ),

  /**
   * Remembers that the owner is notified of failures since `since`. Returns false when they ended, or the owner was
   * notified after `toldBefore`.
   */
  tell: some<{ webhookId: string; since: Date; at: Date; toldBefore: Date }>(
    'tell_failing',
    `update failing_webhooks set told_at = :at
      where webhook_id = :webhookId and date_trunc('milliseconds', since) = :since and ${UNTOLD}`,
    { webhookId: 'wh' },
  ),

  /** Returns why the last attempts failed, of those of these webhooks whose last attempt did. */
  async reasons(tx: Queryable, webhookIds: readonly string[]) {
    const { rows } = await readReasons(tx, { webhookIds });
    return new Map(rows.map(({ webhookId, reason }) => [webhookId, reason]));
  },

  /** Returns whether since then deliveries failed, all of them notices. */
  async isByNoticesAlone(tx: Queryable, about: Since) {
    const found = await readByNotices(tx, { ...about, notices: Object.keys(noticeSchemas) });
    return found?.byNotices === true;
  },

  delete: some<{ webhookId: string }>(
    'delete_failing',
    'delete from failing_webhooks where webhook_id = :webhookId',
    { webhookId: 'wh' },
  ),
});
