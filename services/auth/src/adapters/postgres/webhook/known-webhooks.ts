import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { WebhookNews } from '../../../application/webhook/ports.js';

export const knownWebhookTable = (tx: pg.ClientBase) => ({
  /** Inserts a webhook that was made, and updates any other that is known. */
  async save({ webhookId, userId, at, events, traits }: WebhookNews) {
    const webhook = { webhook_id: webhookId, events: events ?? null, at };
    if (traits.includes('made')) await insertWebhook(tx, { ...webhook, user_id: userId });
    else await updateWebhook(tx, { ...webhook, is_changed: traits.length > 0 });
  },

  async delete(webhookId: string) {
    await deleteWebhook(tx, { webhook_id: webhookId });
  },
});

const insertWebhook = statement(`
insert into webhooks (webhook_id, user_id, events, made_at, changed_at)
values (:webhook_id, :user_id, :events, :at, :at)
on conflict (webhook_id) do nothing`);

const updateWebhook = statement(`
update webhooks
   set events = coalesce(:events::text[], events),
       changed_at = case when :is_changed then :at else changed_at end
 where webhook_id = :webhook_id`);

const deleteWebhook = statement('delete from webhooks where webhook_id = :webhook_id');
