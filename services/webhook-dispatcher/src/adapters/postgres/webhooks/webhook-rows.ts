import { AppError } from '@junction/errors';
import type { PostgresEventStore } from '@junction/eventsourcing/postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { type Page, type PageRequest, pageOf } from '../../../application/page.js';
import { webhookStream } from '../../../application/streams.js';
import type { WebhookOwner, WebhookTable } from '../../../application/unit-of-work.js';
import type { Webhook, WebhookReads } from '../../../application/webhooks/ports.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import { lock } from '../locks.js';
import { statement } from '../statement.js';
import { openHeaders } from './webhook-headers.js';
import { openSecrets } from './webhook-secrets.js';
import { selectWebhooks } from './webhook-select.js';

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
    return (await findOldestAt(pool, { user_id: userId, href })).rows[0];
  },

  async byId(userId: string, webhookId: string): Promise<Webhook | undefined> {
    return (await findWebhook(pool, { webhook_id: webhookId, user_id: userId })).rows[0];
  },

  /** Newest first: their ids begin with the time. */
  async page(userId: string, { after, limit }: PageRequest): Promise<Page<Webhook>> {
    const { rows } = await readPage(pool, {
      user_id: userId,
      after_webhook_id: after ?? null,
      limit: limit + 1,
    });
    return pageOf(rows, limit, ({ webhookId }) => webhookId);
  },

  async ids(userId: string): Promise<readonly string[]> {
    const { rows } = await readIds(pool, { user_id: userId });
    return rows.map(({ webhookId }) => webhookId);
  },
});

/** Webhooks, within a transaction, whose statements each see what was committed before them. */
export const webhookTable = (tx: pg.ClientBase): WebhookTable => ({
  takeTurn: async (userId) => lock(tx, turnOf(userId)),

  async count(userId) {
    await lock(tx, turnOf(userId));
    const { count = 0, isOver = false } =
      (await countWebhooks(tx, { user_id: userId })).rows[0] ?? {};
    // The request was let in before, and a webhook that is added now would stay.
    if (isOver) throw new AppError('unauthenticated', 'This account no longer exists.');
    return count;
  },

  async hasAt(userId, href) {
    return (await findAnyAt(tx, { user_id: userId, href })).rowCount !== 0;
  },

  async version(webhookId) {
    return (await readState(tx, { webhook_id: webhookId })).rows[0]?.version;
  },

  async status(webhookId) {
    return (await readState(tx, { webhook_id: webhookId })).rows[0]?.status;
  },

  async ofUsers(userIds) {
    return (await readOwned(tx, { user_ids: userIds })).rows;
  },

  async unchangedSince(userId, webhookIds, moment) {
    return (await readUnchanged(tx, { user_id: userId, webhook_ids: webhookIds ?? null, moment }))
      .rows;
  },
});

const turnOf = (userId: string): string => `webhooks of ${userId}`;

const findOldestAt = selectWebhooks(
  'oldest_webhook_at',
  'where w.user_id = :user_id and w.href = :href order by w.webhook_id limit 1',
);

const findWebhook = selectWebhooks(
  'webhook_by_id',
  'where w.webhook_id = :webhook_id and w.user_id = :user_id',
  { webhook_id: 'wh' },
);

const readPage = selectWebhooks(
  'webhook_page',
  `where w.user_id = :user_id
     and (:after_webhook_id::uuid is null or w.webhook_id < :after_webhook_id)
   order by w.webhook_id desc limit :limit`,
  { after_webhook_id: 'wh' },
);

const readIds = statement<Pick<WebhookOwner, 'webhookId'>>(
  'webhook_ids',
  'select webhook_id as "webhookId" from webhooks where user_id = :user_id',
  { webhookId: 'wh' },
);

const countWebhooks = statement<{ count: number; isOver: boolean }>(
  'count_webhooks',
  `select count(*)::int as count,
          exists (select from revocations where id = :user_id::text and until > now()) as "isOver"
     from webhooks where user_id = :user_id::uuid`,
);

const findAnyAt = statement(
  'any_webhook_at',
  'select from webhooks where user_id = :user_id and href = :href limit 1',
);

const readState = statement<Pick<Webhook, 'version' | 'status'>>(
  'webhook_state',
  'select version, status from webhooks where webhook_id = :webhook_id',
  { webhook_id: 'wh' },
);

const readUnchanged = statement<WebhookOwner>(
  'webhooks_unchanged_since',
  `select webhook_id as "webhookId", user_id as "userId" from webhooks
    where user_id = :user_id and updated_at <= :moment
      and (:webhook_ids::uuid[] is null or webhook_id = any (:webhook_ids)) order by webhook_id`,
  { webhookId: 'wh', webhook_ids: 'wh' },
);

const readOwned = statement<WebhookOwner>(
  'webhooks_by_users',
  `select webhook_id as "webhookId", user_id as "userId" from webhooks
    where user_id = any (:user_ids::uuid[]) order by webhook_id`,
  { webhookId: 'wh' },
);
