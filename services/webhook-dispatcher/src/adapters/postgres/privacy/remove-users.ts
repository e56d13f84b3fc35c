import { batchHandler } from '@junction/eventsourcing';
import type { PostgresEventStore } from '@junction/eventsourcing-postgres';
import type { DeletedUser } from '@junction/service-kit';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { webhookDecider } from '../../../domain/webhook/decider.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import { toStoredId } from '../stored-id.js';
import { webhookStream } from '../webhooks/webhook-commands.js';
import { requestErasure } from './erase-users.js';

/** So many webhooks end in one statement: a user may have a thousand, and a batch tells of many users. */
const TOGETHER_MAX = 500;

/** Gives the webhooks that were removed. */
export type RemoveUsers = (
  tx: pg.PoolClient,
  users: readonly DeletedUser[],
) => Promise<readonly string[]>;

/**
 * Takes away what is held of users, in the caller's transaction: the webhooks, what waits for them,
 * and the keys that everything else is sealed with. The rows behind it are deleted in the background.
 */
export const removeUsers =
  (store: PostgresEventStore<WebhookEvent>, vault: Vault): RemoveUsers =>
  async (tx, users) => {
    const userIds = users.map(({ userId }) => userId);
    const { rows } = await tx.query<{ webhook_id: string; at: Date }>(
      `select webhook_id, at from webhooks
         join unnest($1::uuid[], $2::timestamptz[]) as deleted (user_id, at) using (user_id)
        order by webhook_id`,
      [userIds, users.map(({ at }) => at)],
    );
    const deletions = rows.map(({ webhook_id, at }) => {
      const data = { reason: 'user_deleted', at: at.toISOString() } as const;
      return {
        streamId: webhookStream(webhook_id),
        command: { type: 'DeleteWebhook', data } as const,
      };
    });
    const handle = batchHandler(store.within(tx), webhookDecider);
    for (let first = 0; first < deletions.length; first += TOGETHER_MAX) {
      await handle(deletions.slice(first, first + TOGETHER_MAX));
    }
    // By webhook, for which there is an index; what an event on its way leaves behind goes with its delivery.
    const webhookIds = rows.map((row) => row.webhook_id);
    await tx.query('delete from pending where webhook_id = any ($1::uuid[])', [
      webhookIds.map(toStoredId),
    ]);
    for (const userId of userIds) {
      await requestErasure(tx, userId);
      await vault.shred(userId, tx);
    }
    return webhookIds;
  };
