import type pg from 'pg';
import { ROOM_MAX } from '../../../application/replaying/ports.js';
import type { Ending, PendingTable } from '../../../application/unit-of-work.js';
import { attemptFirst, attemptNow, headNow } from '../attempt-now.js';
import { statement } from '../statement.js';

const BATCH_MAX = 1_000;

/**
 * Ends up to a batch of the deliveries that wait for the webhook, and returns their number. The same statement checks
 * the webhook, since the caller may have read an older state of it.
 */
export async function settlePending(
  db: pg.ClientBase | pg.Pool,
  webhookId: string,
  ending: Ending,
): Promise<number> {
  const { rowCount } = await SETTLE[ending](db, { webhook_id: webhookId });
  return rowCount ?? 0;
}

const CONDITION = {
  held: `exists (select from webhooks where webhook_id = :webhook_id and status = 'disabled')`,
  cancelled: 'not exists (select from webhooks where webhook_id = :webhook_id)',
} as const satisfies Record<Ending, string>;

const REASON = {
  held: 'webhook_disabled',
  cancelled: 'webhook_deleted',
} as const satisfies Record<Ending, string>;

const settleTo = (ending: Ending) =>
  statement(
    `settle_pending_${ending}`,
    `with ended as (
       delete from pending where delivery_id = any (array(
         select delivery_id from pending
          where webhook_id = :webhook_id and ${CONDITION[ending]}
          limit ${BATCH_MAX} for update skip locked))
       returning day, delivery_id
     )
     insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
     select day, delivery_id, :webhook_id::uuid, '${ending}', '${REASON[ending]}', now() from ended
     on conflict do nothing`,
    { webhook_id: 'wh' },
  );

const SETTLE = { held: settleTo('held'), cancelled: settleTo('cancelled') } as const;

/** Makes the table of pending deliveries within a transaction. */
export const pendingTable = (tx: pg.ClientBase): PendingTable => ({
  async end(webhookId, ending) {
    await settlePending(tx, webhookId, ending);
  },

  headNow: (webhookId) => headNow(tx, webhookId),

  attemptNow: (webhookId, deliveryIds, options) => attemptNow(tx, webhookId, deliveryIds, options),

  attemptFirst: (webhookId, askedAt) => attemptFirst(tx, webhookId, askedAt),

  hasAny: async (deliveryIds) => (await findAny(tx, { delivery_ids: deliveryIds })).rowCount !== 0,

  async countReplayed(webhookId) {
    const { rows } = await countReplayed(tx, { webhook_id: webhookId });
    return rows[0]?.waiting ?? 0;
  },

  /** Deletes by webhook, for which there is an index. */
  async delete(webhookIds) {
    await deletePending(tx, { webhook_ids: webhookIds });
  },
});

const findAny = statement(
  null,
  'select from pending where delivery_id = any (:delivery_ids::uuid[]) limit 1',
  { delivery_ids: 'dlv' },
);

const countReplayed = statement<{ waiting: number }>(
  'count_replayed',
  `select count(*)::int as waiting
     from (select from pending
            where webhook_id = :webhook_id and next_at <= now() and is_replay limit ${ROOM_MAX}) p`,
  { webhook_id: 'wh' },
);

const deletePending = statement(
  'delete_pending',
  'delete from pending where webhook_id = any (:webhook_ids::uuid[])',
  { webhook_ids: 'wh' },
);

/** Ends in the background the deliveries that are too many for one statement; one run at a time for each webhook. */
export function backgroundSettling(pool: pg.Pool, onError: (error: unknown) => void) {
  const underWay = new Map<string, Promise<void>>();

  const settleAll = async (webhookId: string, ending: Ending) => {
    while ((await settlePending(pool, webhookId, ending)) === BATCH_MAX);
  };

  return {
    settle(webhookId: string, ending: Ending): void {
      if (underWay.has(webhookId)) return;
      const work = settleAll(webhookId, ending)
        .catch(onError)
        .finally(() => underWay.delete(webhookId));
      underWay.set(webhookId, work);
    },
    stop: async () => void (await Promise.all(underWay.values())),
  };
}
