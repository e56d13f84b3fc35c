import { AppError } from '@junction/errors';
import type { CustomHeaders } from '../domain/webhook/custom-headers.js';
import type { SecretChange, WebhookCommand } from '../domain/webhook/decider.js';
import type { Filter } from '../domain/webhook/filter.js';
import { hrefOf } from '../domain/webhook/href.js';
import type { OptionsChange } from '../domain/webhook/options.js';
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
  /** From now on this secret signs, or a new one, which is given back; the one before it for a day more. */
  rotateSecret(
    userId: string,
    webhookId: string,
    secret: string | undefined,
  ): Promise<{ readonly webhook: WebhookRow; readonly newSecret?: string }>;
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
  readonly options?: OptionsWish | undefined;
}

/** Absent: it stays. null: as if it had never been set. */
export interface OptionsWish {
  readonly ordered?: boolean | null | undefined;
  readonly rateLimit?: number | null | undefined;
  readonly description?: string | null | undefined;
  readonly filter?: Filter | null | undefined;
  readonly retrySchedule?: readonly number[] | null | undefined;
  /** All of them, with their values. */
  readonly headers?: CustomHeaders | null | undefined;
}

export interface ChangeWish {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly paused?: boolean | undefined;
  /** null: none from now on. */
  readonly secret?: string | null | undefined;
  readonly options?: OptionsWish | undefined;
}

/** What it needs from the world. Adapters provide it. */
export interface Needs extends SentRequestsNeeds {
  /** Stores what the command leads to, and what is kept sealed beside it, in one transaction. */
  readonly handle: HandleWebhook;
  readonly byHref: (userId: string, href: string) => Promise<WebhookRow | undefined>;
  readonly byId: (userId: string, webhookId: string) => Promise<WebhookRow | undefined>;
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
  readonly newSecret: () => string;
  readonly headersOf: (webhook: WebhookRow) => Promise<CustomHeaders | undefined>;
}

export type HandleWebhook = (
  webhookId: string,
  command: WebhookCommand,
  confidential?: Confidential,
) => Promise<void>;

/** What a command sets and no event may hold. */
export interface Confidential {
  readonly secret?: string | undefined;
  readonly headers?: CustomHeaders | undefined;
}

/** How long the secret before a rotation still signs: receivers need time to take the new one. */
const OVERLAP_MS = 24 * 3_600_000;

const ROUNDS_MAX = 5;

export const createApplication = (needs: Needs): Application => ({
  configure: async (userId, wish) => configure(needs, userId, wish),
  change: async (userId, webhookId, wish) => change(needs, userId, webhookId, wish),
  rotateSecret: async (...rotation) => rotateSecret(needs, ...rotation),

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
    const webhookId = existing?.webhook_id ?? needs.newWebhookId();
    const at = needs.now().toISOString();
    const { options, headers } = await optionsChange(needs, existing, wish.options);
    const change = await secretChange(needs, existing, secret);
    const data = { userId, url, events, enabled, secret: change, options, at };
    try {
      await needs.handle(webhookId, { type: 'ConfigureWebhook', data }, { secret, headers });
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

async function change(needs: Needs, userId: string, webhookId: string, wish: ChangeWish) {
  const webhook = found(await needs.byId(userId, webhookId));
  const { secret, options: wanted, ...changes } = wish;
  const { options, headers } = await optionsChange(needs, webhook, wanted);
  const data = {
    ...changes,
    options,
    secret: await secretChange(needs, webhook, secret),
    at: needs.now().toISOString(),
  };
  const confidential = { secret: secret ?? undefined, headers };
  await needs.handle(webhookId, { type: 'ChangeWebhook', data }, confidential);
  needs.changed(webhookId);
  return found(await needs.byId(userId, webhookId));
}

async function rotateSecret(
  needs: Needs,
  userId: string,
  webhookId: string,
  wanted: string | undefined,
) {
  const webhook = found(await needs.byId(userId, webhookId));
  const secret = wanted ?? needs.newSecret();
  // Rotating to the secret that signs already would let it end with itself.
  if ((await secretChange(needs, webhook, secret)) === 'keep') return { webhook };

  const at = needs.now();
  const previousExpiresAt = new Date(at.getTime() + OVERLAP_MS).toISOString();
  const data = { previousExpiresAt, at: at.toISOString() };
  await needs.handle(webhookId, { type: 'RotateSecret', data }, { secret });
  needs.changed(webhookId);
  const rotated = found(await needs.byId(userId, webhookId));
  return { webhook: rotated, ...(wanted === undefined && { newSecret: secret }) };
}

/** The change as the domain knows it, and the values of the headers when those are other than before. */
async function optionsChange(
  { headersOf }: Needs,
  webhook: WebhookRow | undefined,
  wish: OptionsWish | undefined,
): Promise<{ options?: OptionsChange; headers?: CustomHeaders }> {
  if (wish === undefined) return {};
  const { ordered, rateLimit, description, filter, retrySchedule } = wish;
  const options: OptionsChange = {
    ...(ordered !== undefined && { ordered: ordered ?? false }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(description !== undefined && { description }),
    ...(filter !== undefined && { filter: filter && JSON.stringify(filter) }),
    ...(retrySchedule !== undefined && { retrySchedule }),
  };
  if (wish.headers === undefined) return { options };

  const headers = wish.headers ?? {};
  const current = webhook?.header_names.length ? await headersOf(webhook) : {};
  if (JSON.stringify(headers) === JSON.stringify(current)) return { options };
  return { options: { ...options, headerNames: Object.keys(headers) }, headers };
}

async function secretChange(
  { secretsOf }: Needs,
  webhook: WebhookRow | undefined,
  secret: string | null | undefined,
): Promise<SecretChange> {
  if (secret === undefined) return 'keep';
  if (secret === null) return 'remove';
  const [current] = webhook?.has_secret === true ? await secretsOf(webhook) : [];
  return current?.text === secret ? 'keep' : 'set';
}

function found(webhook: WebhookRow | undefined): WebhookRow {
  if (webhook) return webhook;
  throw webhookNotFound();
}

const webhookNotFound = () =>
  new AppError('not_found', 'webhook_not_found', 'There is no such webhook.');
