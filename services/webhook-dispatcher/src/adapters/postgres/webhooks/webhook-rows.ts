import type { PostgresEventStore } from '@junction/eventsourcing/postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { type Page, type PageRequest, pageOf } from '../../../application/page.js';
import { webhookStream } from '../../../application/streams.js';
import type { WebhookOwner, WebhookTable } from '../../../application/unit-of-work.js';
import type { Webhook, WebhookReads } from '../../../application/webhooks/ports.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import type { WebhookRow } from '../../../projections/webhook-row.js';
import { openHeaders } from './webhook-headers.js';
import { openSecrets } from './webhook-secrets.js';
import { SELECT_WEBHOOKS, type SelectedWebhook } from './webhook-select.js';

export interface WebhookReading {
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore<WebhookEvent>;
  readonly vault: Vault;
  /** A secret or a header that does not open is left out. */
  readonly onUnreadable: (error: unknown) => void;
}

/** Webhooks with what lies beside them. */
export const webhookReads = ({
  pool,
  store,
  vault,
  onUnreadable,
}: WebhookReading): WebhookReads => ({
  ...webhookRows(pool),
  history: async (webhookId) => (await store.load(webhookStream(webhookId))).history,
  secrets: async (webhook) =>
    (await openSecrets(pool, vault, [webhook], onUnreadable)).get(webhook.webhookId) ?? [],
  headers: async (webhook) =>
    (await openHeaders(pool, vault, [webhook], onUnreadable)).get(webhook.webhookId),
});

/** The rows of webhooks, always by their owner. */
export const webhookRows = (
  pool: pg.Pool,
): Pick<WebhookReads, 'oldestAt' | 'byId' | 'page' | 'ids'> => ({
  async oldestAt(userId: string, href: string): Promise<Webhook | undefined> {
    const { rows } = await pool.query<SelectedWebhook>({
      name: 'oldest_webhook_at',
      text: `${SELECT_WEBHOOKS} where w.user_id = $1 and w.href = $2
              order by w.webhook_id limit 1`,
      values: [userId, href],
    });
    return rows[0];
  },

  async byId(userId: string, webhookId: string): Promise<Webhook | undefined> {
    const { rows } = await pool.query<SelectedWebhook>({
      name: 'webhook_by_id',
      text: `${SELECT_WEBHOOKS} where w.webhook_id = $1 and w.user_id = $2`,
      values: [webhookId, userId],
    });
    return rows[0];
  },

  /** Newest first: their ids begin with the time. */
  async page(userId: string, { after, limit }: PageRequest): Promise<Page<Webhook>> {
    const { rows } = await pool.query<SelectedWebhook>({
      name: 'webhook_page',
      text: `${SELECT_WEBHOOKS}
              where w.user_id = $1 and ($2::text is null or w.webhook_id < $2)
              order by w.webhook_id desc limit $3`,
      values: [userId, after ?? null, limit + 1],
    });
    return pageOf(rows, limit, ({ webhookId }) => webhookId);
  },

  async ids(userId: string): Promise<readonly string[]> {
    const { rows } = await pool.query<Pick<WebhookRow, 'webhook_id'>>({
      name: 'webhook_ids',
      text: 'select webhook_id from webhooks where user_id = $1',
      values: [userId],
    });
    return rows.map(({ webhook_id }) => webhook_id);
  },
});

/** Webhooks, within a transaction, whose statements each see what was committed before them. */
export const webhookTable = (tx: pg.ClientBase): WebhookTable => ({
  async count(userId) {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1, 0))`, [
      userId,
    ]);
    const { rows } = await tx.query<{ count: number }>(
      'select count(*)::int from webhooks where user_id = $1',
      [userId],
    );
    return rows[0]?.count ?? 0;
  },

  async hasAt(userId, href) {
    const { rows } = await tx.query(
      'select from webhooks where user_id = $1 and href = $2 limit 1',
      [userId, href],
    );
    return rows.length > 0;
  },

  async version(webhookId) {
    const { rows } = await tx.query<{ version: number }>(
      'select version from webhooks where webhook_id = $1',
      [webhookId],
    );
    return rows[0]?.version;
  },

  async status(webhookId) {
    const { rows } = await tx.query<Pick<Webhook, 'status'>>(
      'select status from webhooks where webhook_id = $1',
      [webhookId],
    );
    return rows[0]?.status;
  },

  async ofUsers(userIds) {
    const { rows } = await tx.query<WebhookOwner>(
      `select webhook_id as "webhookId", user_id as "userId" from webhooks
        where user_id = any ($1::uuid[]) order by webhook_id`,
      [userIds],
    );
    return rows;
  },
});
