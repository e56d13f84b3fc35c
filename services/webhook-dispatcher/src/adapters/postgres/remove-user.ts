import { commandHandler } from '@junction/eventsourcing';
import type { PostgresEventStore } from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { webhookDecider } from '../../domain/webhook/decider.js';
import type { WebhookEvent } from '../../domain/webhook/events.js';
import { requestErasure } from './erase-users.js';
import { webhookStream } from './webhook-commands.js';

/** Gives the webhooks that were removed. */
export type RemoveUser = (
  tx: pg.PoolClient,
  userId: string,
  at: Date,
) => Promise<readonly string[]>;

/**
 * Takes away what is held of a user, in the caller's transaction: the webhooks, what waits for them,
 * and the key that everything else is sealed with. The rows behind it are deleted in the background.
 */
export const removeUser =
  (store: PostgresEventStore<WebhookEvent>, vault: Vault): RemoveUser =>
  async (tx, userId, at) => {
    const { rows } = await tx.query<{ webhook_id: string }>(
      'select webhook_id from webhooks where user_id = $1 order by webhook_id',
      [userId],
    );
    const webhookIds = rows.map((row) => row.webhook_id);
    const handle = commandHandler(store.within(tx), webhookDecider);
    const data = { reason: 'user_deleted', at: at.toISOString() } as const;
    for (const webhookId of webhookIds) {
      await handle(webhookStream(webhookId), { type: 'DeleteWebhook', data });
    }
    await tx.query('delete from pending where user_id = $1', [userId]);
    await requestErasure(tx, userId);
    await vault.shred(userId, tx);
    return webhookIds;
  };
