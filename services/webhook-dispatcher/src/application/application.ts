import { AppError } from '@junction/errors';
import type { SecretChange, WebhookCommand } from '../domain/webhook/decider.js';
import { hrefOf } from '../domain/webhook/href.js';
import type { WebhookRow } from '../projections/webhook-row.js';
import type { DeliveryDetail, DeliveryFilter, DeliverySummary } from './delivery-log.js';
import type { Page, PageRequest } from './page.js';
import { type SentRequest, type SentRequestsNeeds, sentRequests } from './sent-requests.js';

/** What an owner may do with their webhooks, whichever door the request came through. */
export interface Application {
  /** Creates the webhook, or updates the one with the same url. */
  configure(
    userId: string,
    wish: ConfigureWish,
  ): Promise<{ readonly created: boolean; readonly webhook: WebhookRow }>;
  change(userId: string, webhookId: string, wish: ChangeWish): Promise<WebhookRow>;
  /** Again does no harm. */
  remove(userId: string, webhookId: string): Promise<void>;
  find(userId: string, webhookId: string): Promise<WebhookRow>;
  list(userId: string, page: PageRequest): Promise<Page<WebhookRow>>;
  deliveries(
    userId: string,
    webhookId: string,
    filter: DeliveryFilter,
  ): Promise<Page<DeliverySummary>>;
  delivery(
    userId: string,
    webhookId: string,
    deliveryId: string,
  ): Promise<{
    readonly delivery: DeliveryDetail;
    /** One for each attempt, in their order. */
    readonly requests: readonly SentRequest[];
  }>;
}

export interface ConfigureWish {
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  /** Absent: the stored one stays. */
  readonly secret?: string | undefined;
}

export interface ChangeWish {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly paused?: boolean | undefined;
  /** null: none from now on. */
  readonly secret?: string | null | undefined;
}

/** What it needs from the world. Adapters provide it. */
export interface Needs extends SentRequestsNeeds {
  /** Stores what the command leads to, with the secret if that is set, in one transaction. */
  readonly handle: HandleWebhook;
  readonly byHref: (userId: string, href: string) => Promise<WebhookRow | undefined>;
  readonly byId: (userId: string, webhookId: string) => Promise<WebhookRow | undefined>;
  readonly countOf: (userId: string) => Promise<number>;
  readonly page: (userId: string, page: PageRequest) => Promise<Page<WebhookRow>>;
  /** Whose it is or was; undefined: nobody ever configured it. */
  readonly ownerOf: (webhookId: string) => Promise<string | undefined>;
  readonly deliveries: (
    webhookId: string,
    filter: DeliveryFilter,
  ) => Promise<Page<DeliverySummary>>;
  readonly delivery: (
    webhookId: string,
    userId: string,
    deliveryId: string,
  ) => Promise<DeliveryDetail | undefined>;
  /** Tells the dispatcher of this replica, which would otherwise find out a moment later. */
  readonly changed: (webhookId: string) => void;
  readonly now: () => Date;
  readonly newWebhookId: () => string;
}

export type HandleWebhook = (
  webhookId: string,
  command: WebhookCommand,
  secret?: string,
) => Promise<void>;

const ROUNDS_MAX = 5;
/** Each event of a user is matched with all of them. */
const WEBHOOKS_PER_USER_MAX = 1_000;

export const createApplication = (needs: Needs): Application => ({
  configure: async (userId, wish) => configure(needs, userId, wish),
  change: async (userId, webhookId, wish) => change(needs, userId, webhookId, wish),

  async remove(userId, webhookId) {
    // The stream remembers the owner of what is deleted: a repeat is theirs, a stranger's is none.
    if ((await needs.ownerOf(webhookId)) !== userId) throw webhookNotFound();
    const data = { reason: 'user', at: needs.now().toISOString() } as const;
    await needs.handle(webhookId, { type: 'DeleteWebhook', data });
    needs.changed(webhookId);
  },

  find: async (userId, webhookId) => found(await needs.byId(userId, webhookId)),
  list: async (userId, page) => needs.page(userId, page),

  async deliveries(userId, webhookId, filter) {
    found(await needs.byId(userId, webhookId));
    return needs.deliveries(webhookId, filter);
  },

  async delivery(userId, webhookId, deliveryId) {
    const webhook = found(await needs.byId(userId, webhookId));
    const delivery = await needs.delivery(webhookId, userId, deliveryId);
    if (delivery) return { delivery, requests: await sentRequests(needs, webhook, delivery) };
    throw new AppError('not_found', 'delivery_not_found', 'There is no such delivery.');
  },
});

async function configure(needs: Needs, userId: string, wish: ConfigureWish) {
  const { url, events, enabled, secret } = wish;
  for (let round = 1; ; round++) {
    const existing = await needs.byHref(userId, hrefOf(url));
    if (existing === undefined) await makeSureThereIsRoom(needs, userId);
    const webhookId = existing?.webhook_id ?? needs.newWebhookId();
    const change = await secretChange(needs, existing, secret);
    const at = needs.now().toISOString();
    try {
      await needs.handle(
        webhookId,
        { type: 'ConfigureWebhook', data: { userId, url, events, enabled, secret: change, at } },
        secret,
      );
      needs.changed(webhookId);
      const webhook = found(await needs.byId(userId, webhookId));
      return { created: existing === undefined, webhook };
    } catch (error) {
      // Somebody else configured the same url first, or deleted it under our hands: look again.
      const { code } = AppError.from(error);
      const isOvertaken = code === 'webhook_url_taken' || code === 'webhook_not_found';
      if (!isOvertaken || round === ROUNDS_MAX) throw error;
    }
  }
}

async function makeSureThereIsRoom({ countOf }: Needs, userId: string): Promise<void> {
  if ((await countOf(userId)) < WEBHOOKS_PER_USER_MAX) return;
  throw new AppError(
    'conflict',
    'webhook_limit_reached',
    `A user has at most ${WEBHOOKS_PER_USER_MAX} webhooks. Delete one that is no longer needed.`,
  );
}

async function change(needs: Needs, userId: string, webhookId: string, wish: ChangeWish) {
  const webhook = found(await needs.byId(userId, webhookId));
  const { secret, ...changes } = wish;
  const data = {
    ...changes,
    secret: await secretChange(needs, webhook, secret),
    at: needs.now().toISOString(),
  };
  await needs.handle(webhookId, { type: 'ChangeWebhook', data }, secret ?? undefined);
  needs.changed(webhookId);
  return found(await needs.byId(userId, webhookId));
}

async function secretChange(
  { secretOf }: Needs,
  webhook: WebhookRow | undefined,
  secret: string | null | undefined,
): Promise<SecretChange> {
  if (secret === undefined) return 'keep';
  if (secret === null) return 'remove';
  const current = webhook?.has_secret === true ? await secretOf(webhook) : undefined;
  return current === secret ? 'keep' : 'set';
}

function found(webhook: WebhookRow | undefined): WebhookRow {
  if (webhook) return webhook;
  throw webhookNotFound();
}

const webhookNotFound = () =>
  new AppError('not_found', 'webhook_not_found', 'There is no such webhook.');
