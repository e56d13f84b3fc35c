import type { Queryable } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { ROOM_MAX } from '../../../application/replaying/ports.js';
import type { Ending } from '../../../application/unit-of-work.js';
import { attemptFirst, attemptNow, headNow } from '../attempt-now.js';
import { first, some, statement, table } from '../statement.js';

const BATCH_MAX = 1_000;

/**
 * Ends up to a batch of the deliveries that wait for the webhook, and returns their number. The same statement checks
 * the webhook, since the caller may have read an older state of it.
 */
export async function settlePending(
  db: Queryable,
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

/** Deliveries that have a next attempt. */
export const pendingTable = table({
  /** Ends what waits for the webhook: one batch here, while the dispatcher goes on with the rest. */
  end: settlePending,
  headNow,
  attemptNow,
  attemptFirst,

  /** Returns whether one of these deliveries waits for an attempt. */
  hasAny: some<{ deliveryIds: readonly string[] }>(
    null,
    'select from pending where delivery_id = any (:deliveryIds::uuid[]) limit 1',
    { deliveryIds: 'dlv' },
  ),

  /** Returns how many deliveries that replays sent are due for the webhook, ROOM_MAX when there are more. */
  async countReplayed(tx: Queryable, webhookId: string) {
    return (await countReplayed(tx, { webhookId }))?.waiting ?? 0;
  },

  /** Deletes by webhook, for which there is an index. */
  delete: some<{ webhookIds: readonly string[] }>(
    'delete_pending',
    'delete from pending where webhook_id = any (:webhookIds::uuid[])',
    { webhookIds: 'wh' },
  ),
});

const countReplayed = first<{ webhookId: string }, { waiting: number }>(
  'count_replayed',
  `select count(*)::int as waiting
     from (select from pending
            where webhook_id = :webhookId and next_at <= now() and is_replay limit ${ROOM_MAX}) p`,
  { webhookId: 'wh' },
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
