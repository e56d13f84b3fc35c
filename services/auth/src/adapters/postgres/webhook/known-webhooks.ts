import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type {
  KnownWebhook,
  KnownWebhooks,
  KnownWebhookTable,
} from '../../../application/webhook/ports.js';

/** A user may have as many webhooks as the dispatcher allows: a thousand, unless its operator says otherwise. */
const LISTED_MAX = 1_000;

export const postgresKnownWebhooks = (pool: pg.Pool): KnownWebhooks => ({
  async list(userId) {
    return (await listWebhooks(pool, { user_id: userId })).rows;
  },
});

export const knownWebhookTable = (tx: pg.ClientBase): KnownWebhookTable => ({
  async save({ webhookId, userId, at, events, traits }) {
    const webhook = { webhook_id: webhookId, events: events ?? null, at };
    if (traits.includes('made')) await insertWebhook(tx, { ...webhook, user_id: userId });
    else await updateWebhook(tx, { ...webhook, is_changed: traits.length > 0 });
  },

  async delete(webhookId) {
    await deleteWebhook(tx, { webhook_id: webhookId });
  },
});

const listWebhooks = statement<KnownWebhook>(`
select webhook_id as "webhookId", events, made_at as "madeAt", changed_at as "changedAt"
  from webhooks where user_id = :user_id order by made_at desc, webhook_id limit ${LISTED_MAX}`);

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
