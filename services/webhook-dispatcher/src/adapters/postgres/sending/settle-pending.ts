import type pg from 'pg';
import type { Ending, PendingTable } from '../../../application/unit-of-work.js';
import { toStoredId } from '../stored-id.js';

const BATCH_MAX = 1_000;

/**
 * Ends up to a batch of what waits for the webhook and says how many that were. Checks the webhook in
 * the same statement: who asks may have seen it as it no longer is.
 */
export async function settlePending(
  db: pg.ClientBase | pg.Pool,
  webhookId: string,
  ending: Ending,
): Promise<number> {
  const { rowCount } = await db.query({
    name: `settle_pending_${ending}`,
    text: `with ended as (
             delete from pending where delivery_id = any (array(
               select delivery_id from pending
                where webhook_id = $1 and ${CONDITION[ending]}
                limit ${BATCH_MAX} for update skip locked))
             returning day, delivery_id
           )
           insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
           select day, delivery_id, $1::uuid, '${ending}', '${REASON[ending]}', now() from ended
           on conflict do nothing`,
    values: [toStoredId(webhookId), webhookId],
  });
  return rowCount ?? 0;
}

const CONDITION = {
  held: `exists (select from webhooks where webhook_id = $2 and status = 'disabled')`,
  cancelled: 'not exists (select from webhooks where webhook_id = $2)',
} as const satisfies Record<Ending, string>;

const REASON = {
  held: 'webhook_disabled',
  cancelled: 'webhook_deleted',
} as const satisfies Record<Ending, string>;

/** What waits for webhooks, within a transaction. */
export const pendingTable = (tx: pg.ClientBase): PendingTable => ({
  async end(webhookId, ending) {
    await settlePending(tx, webhookId, ending);
  },

  /** By webhook, for which there is an index. */
  async delete(webhookIds) {
    await tx.query('delete from pending where webhook_id = any ($1::uuid[])', [
      webhookIds.map(toStoredId),
    ]);
  },
});

/** Settles in the background what is too much for one statement; asking twice settles once. */
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
