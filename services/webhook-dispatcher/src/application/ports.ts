import type { CustomHeaders } from '../domain/webhook/custom-headers.js';
import type { DisabledReason, WebhookEvent, WebhookStatus } from '../domain/webhook/events.js';
import type { WebhookOptions } from '../domain/webhook/options.js';
import type { DeliveryDetail, DeliveryFilter, DeliverySummary } from './history/delivery-log.js';
import type { EventDetail, EventSummary, SeenEventFilter } from './history/event-log.js';
import type { Page, PageRequest } from './history/page.js';
import type { Redactions } from './privacy/privacy-tables.js';
import type { ReplayCount, ReplayOperation, ReplaySpan } from './replaying/replay.js';
import type { Secret } from './sending/job.js';
import type { WebhookKeys } from './sending/webhook-keys.js';
import type { WebhookHour } from './statistics/statistics.js';
import type { UnitOfWork, WebhookOwner } from './unit-of-work.js';

export type {
  Delivered,
  IncomingEvent,
  IntakeReads,
  IntakeRows,
  JudgedEvent,
  MatchedWebhook,
  NewDelivery,
  WebhooksByUser,
} from './intake/intake-ports.js';

/** Ports of the use cases of webhook owners, clock and random ids included. */
export interface Ports {
  readonly unitOfWork: UnitOfWork;
  readonly webhooks: WebhookReads;
  readonly webhookKeys: Pick<WebhookKeys, 'signing'>;
  readonly failing: FailingReads;
  readonly deliveries: DeliveryReads;
  readonly replays: Replays;
  readonly redactions: Redactions;
  readonly statistics: StatisticsReads;
  readonly events: EventReads;
  /** Number of webhooks that a user may have. */
  readonly webhooksPerUserMax: number;
  /** Notifies the dispatcher of this replica, which would otherwise notice a moment later, and those who watch. */
  readonly webhookChanged: (webhook: WebhookOwner) => void;
  /** Notifies that there is a replay to move on. */
  readonly replayBegun: () => void;
  readonly now: () => Date;
  readonly newWebhookId: () => string;
  readonly newOperationId: () => string;
  /**
   * Runs a change of a user's webhooks when the user's changes before it are done. A change that waits holds no
   * connection, and does not meet a version that another one has just moved. Not to be nested. @throws AppError
   * `too_busy`
   */
  readonly inTurn: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
  readonly newSecret: () => string;
}

/**
 * A webhook as its owner reads it, with its circuit while that is open or half open, and why its last attempt failed,
 * unless it succeeded.
 */
export interface Webhook extends WebhookOwner, WebhookOptions {
  readonly url: string;
  readonly events: readonly string[];
  readonly status: WebhookStatus;
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: Date | null;
  readonly hasSecret: boolean;
  /** Version of the webhook's stream. */
  readonly version: number;
  readonly createdAt: Date;
  /** Time of the last change by the owner, or by us on behalf of the owner. */
  readonly updatedAt: Date;
  readonly circuitOpenedAt: Date | null;
  readonly circuitProbeAt: Date | null;
  /** Time of the first failure after the last success. */
  readonly failingSince: Date | null;
  readonly failingReason: string | null;
  /** Time until which a secret before the last rotation still signs beside the current one; null: there is none. */
  readonly previousSecretExpiresAt: Date | null;
}

export interface WebhookReads {
  /** Finds the oldest webhook with this href. */
  oldestAt(userId: string, href: string): Promise<Webhook | undefined>;
  byId(userId: string, webhookId: string): Promise<Webhook | undefined>;
  /** Returns the webhooks of the user, newest first. */
  page(userId: string, page: PageRequest): Promise<Page<Webhook>>;
  /** Returns the ids of all webhooks that the user has. */
  ids(userId: string): Promise<readonly string[]>;
  /** Returns the events of the webhook; empty: nobody ever configured it. */
  history(webhookId: string): Promise<readonly WebhookEvent[]>;
  /** Returns the secrets that still sign, newest first. */
  secrets(webhook: WebhookOwner): Promise<readonly Secret[]>;
  headers(webhook: WebhookOwner): Promise<CustomHeaders | undefined>;
}

export interface FailingReads {
  /** Deletes the rows of webhooks whose last failure was before that. */
  purge(before: Date): Promise<void>;
  /** Returns some of the webhooks whose failures span that long. */
  failingFor(minMs: number): Promise<readonly FailingWebhook[]>;
}

export interface FailingWebhook extends WebhookOwner {
  /** Time of the first failure since the last success. */
  readonly since: Date;
}

export interface DeliveryReads {
  /** Returns the deliveries of these webhooks that pass the filter. */
  page(webhookIds: readonly string[], filter: DeliveryFilter): Promise<Page<DeliverySummary>>;
  detail(
    webhookId: string,
    userId: string,
    deliveryId: string,
  ): Promise<DeliveryDetail | undefined>;
  /** Returns the bodies of these deliveries of the user by their ids, as far as they are still stored. */
  bodies(userId: string, deliveryIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

export interface Replays {
  count(webhookId: string, span: ReplaySpan): Promise<ReplayCount>;
  /** Refuses while a replay of the webhook runs. @throws AppError `replay_under_way` */
  requireNone(webhookId: string): Promise<void>;
  begin(
    operationId: string,
    about: { readonly userId: string; readonly webhookId: string },
    span: ReplaySpan,
    counted: ReplayCount,
  ): Promise<ReplayOperation>;
  find(userId: string, operationId: string): Promise<ReplayOperation | undefined>;
  /** Returns the replays of the user, newest first; only those of one webhook, if one is named. */
  page(
    userId: string,
    webhookId: string | undefined,
    page: PageRequest,
  ): Promise<Page<ReplayOperation>>;
  /** Cancels a replay. Returns false when the user has no such operation. */
  cancel(userId: string, operationId: string): Promise<boolean>;
}

export interface StatisticsReads {
  /** Returns the hours of these webhooks, the oldest first. */
  hours(webhookIds: readonly string[], from: Date, to: Date): Promise<readonly WebhookHour[]>;
  /** Returns how many deliveries wait for an attempt, 10,000 when there are more. */
  waiting(webhookIds: readonly string[]): Promise<number>;
  /** Returns the same for each webhook. */
  waitingOfEach(webhookIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface EventReads {
  page(userId: string, filter: SeenEventFilter): Promise<Page<EventSummary>>;
  detail(userId: string, messageId: string): Promise<EventDetail | undefined>;
}

/** Entry that a listener sees as it happens. */
export interface LiveEntry {
  readonly userId: string;
  /** Id of the webhook (wh_…); only zeros for an event, which belongs to no webhook. */
  readonly webhookId: string;
  /** `delivery.filed`, `delivery.attempted`, `webhook.changed`, `operation.progressed`, `event.received` */
  readonly type: string;
  readonly data: object;
  /** Body that a webhook would get of an event, kept sealed. */
  readonly body?: Buffer | undefined;
}

/** Topic of a listener: events themselves, or their deliveries. */
export type LiveTopic = 'events' | 'deliveries';

export interface LiveQuery {
  /** Number of the last entry that was seen. */
  readonly after: string;
  readonly webhookId?: string | undefined;
  readonly topic: LiveTopic;
  readonly limit: number;
}

/** Rows in which entries wait for listeners. */
export interface LiveTailRows {
  /** Keeps entries of this user, from now on and for some minutes. */
  listen(userId: string, topic: LiveTopic): Promise<void>;
  listeners(): Promise<readonly { readonly userId: string; readonly events: boolean }[]>;
  append(entries: readonly LiveEntry[]): Promise<void>;
  /** Returns the number of the user's newest entry. */
  lastId(userId: string): Promise<string>;
  /**
   * Returns whether an entry of any user has this number or a higher one. After a restore, numbers from before it may
   * be higher than all.
   */
  hasReached(id: string): Promise<boolean>;
  read(userId: string, query: LiveQuery): Promise<readonly (LiveEntry & { readonly id: string })[]>;
  purge(): Promise<void>;
}
