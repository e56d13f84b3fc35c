import { AppError } from '@junction/errors';
import type { PostgresEventStore, Queryable } from '@junction/eventsourcing/postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { pageOf } from '../../../application/page.js';
import { webhookStream } from '../../../application/streams.js';
import type { WebhookOwner } from '../../../application/unit-of-work.js';
import type { Webhook, WebhookPageRequest } from '../../../application/webhooks/ports.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import { lock } from '../locks.js';
import { all, first, some, table } from '../statement.js';
import { STATE } from '../webhook-state.js';
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
export const webhookReads = ({ pool, store, vault, onUnreadable }: WebhookReading) => ({
  ...webhookRows(pool),
  /** Returns the events of the webhook; empty: nobody ever configured it. */
  history: async (webhookId: string) => (await store.load(webhookStream(webhookId))).history,
  /** Returns the secrets that still sign, newest first. */
  secrets: async (webhook: WebhookOwner) =>
    (await openSecrets(pool, vault, [webhook], onUnreadable)).get(webhook.webhookId) ?? [],
  headers: async (webhook: WebhookOwner) =>
    (await openHeaders(pool, vault, [webhook], onUnreadable)).get(webhook.webhookId),
});

/** The rows of webhooks, always by their owner. */
export const webhookRows = (pool: Queryable) => ({
  /** Finds the oldest webhook with this href. */
  async oldestAt(userId: string, href: string): Promise<Webhook | undefined> {
    return (await findOldestAt(pool, { userId, href })).rows[0];
  },

  async byId(userId: string, webhookId: string): Promise<Webhook | undefined> {
    return (await findWebhook(pool, { userId, webhookId })).rows[0];
  },

  /** Newest first: their ids begin with the time. */
  async page(userId: string, { after, state, limit }: WebhookPageRequest) {
    const asked = { userId, after: after ?? null, state: state ?? null, limit: limit + 1 };
    const { rows } = await readPage(pool, asked);
    return pageOf<Webhook>(rows, limit, ({ webhookId }) => webhookId);
  },

  /** Returns the ids of all webhooks that the user has. */
  async ids(userId: string): Promise<readonly string[]> {
    return (await readIds(pool, { userId })).map(({ webhookId }) => webhookId);
  },
});

const turnOf = (userId: string): string => `webhooks of ${userId}`;

/** Webhooks, within a transaction, whose statements each see what was committed before them. */
export const webhookTable = table({
  /** Waits for the user's turn to add webhooks or to lose them all, which lasts until the transaction ends. */
  takeTurn: async (tx: Queryable, userId: string) => lock(tx, turnOf(userId)),

  /**
   * Returns how many webhooks the user has, in the user's turn: of two transactions that count and then add one, the
   * second waits for the first. AppError `unauthenticated` for a user whose account has ended meanwhile.
   */
  async count(tx: Queryable, userId: string) {
    await lock(tx, turnOf(userId));
    const { count = 0, isOver = false } = (await countWebhooks(tx, { userId })) ?? {};
    // The request was let in before, and a webhook that is added now would stay.
    if (isOver) throw new AppError('unauthenticated', 'This account no longer exists.');
    return count;
  },

  /** Returns whether the user has a webhook with this href. */
  hasAt: some<{ userId: string; href: string }>(
    'any_webhook_at',
    'select from webhooks where user_id = :userId and href = :href limit 1',
  ),

  /** Returns version and status of the webhook; undefined: the webhook does not exist, or no longer. */
  state: first<{ webhookId: string }, Pick<Webhook, 'version' | 'status'>>(
    'webhook_state',
    'select version, status from webhooks where webhook_id = :webhookId',
    { webhookId: 'wh' },
  ),

  ofUsers: all<{ userIds: readonly string[] }, WebhookOwner>(
    'webhooks_by_users',
    `select webhook_id as "webhookId", user_id as "userId" from webhooks
      where user_id = any (:userIds::uuid[]) order by webhook_id`,
    { webhookId: 'wh' },
  ),

  /** Returns those of these webhooks of the user, or of all, that were not changed after that moment. */
  unchangedSince: all<
    { userId: string; webhookIds: readonly string[] | null; moment: Date },
    WebhookOwner
  >(
    'webhooks_unchanged_since',
    `select webhook_id as "webhookId", user_id as "userId" from webhooks
      where user_id = :userId and updated_at <= :moment
        and (:webhookIds::uuid[] is null or webhook_id = any (:webhookIds)) order by webhook_id`,
    { webhookId: 'wh', webhookIds: 'wh' },
  ),
});

const findOldestAt = selectWebhooks(
  'oldest_webhook_at',
  'where w.user_id = :userId and w.href = :href order by w.webhook_id limit 1',
);

const findWebhook = selectWebhooks(
  'webhook_by_id',
  'where w.webhook_id = :webhookId and w.user_id = :userId',
);

const readPage = selectWebhooks(
  'webhook_page',
  `where w.user_id = :userId and (:after::uuid is null or w.webhook_id < :after)
     and (:state::text is null or ${STATE} = :state)
   order by w.webhook_id desc limit :limit`,
  { after: 'wh' },
);

const readIds = all<{ userId: string }, Pick<WebhookOwner, 'webhookId'>>(
  'webhook_ids',
  'select webhook_id as "webhookId" from webhooks where user_id = :userId',
  { webhookId: 'wh' },
);

const countWebhooks = first<{ userId: string }, { count: number; isOver: boolean }>(
  'count_webhooks',
  `select count(*)::int as count,
          exists (select from revocations where id = :userId::text and until > now()) as "isOver"
     from webhooks where user_id = :userId::uuid`,
);
