import type { Matchable, Verdict } from '../domain/delivery/match.js';
import type { CustomHeaders } from '../domain/webhook/custom-headers.js';
import type { WebhookEvent } from '../domain/webhook/events.js';
import type { WebhookRow } from '../projections/webhook-row.js';
import type { DeliveryDetail, DeliveryFilter, DeliverySummary } from './delivery-log.js';
import type { AttemptRecord, Job, Secret } from './dispatch/job.js';
import type { EventDetail, EventSummary, SeenEventFilter } from './event-log.js';
import type { Page, PageRequest } from './page.js';
import type { ReplayCount, ReplayOperation, ReplaySpan } from './replay.js';
import type { WebhookHour } from './statistics.js';
import type { UnitOfWork, WebhookOwner } from './unit-of-work.js';
import type { WebhookKeys } from './webhook-keys.js';

/** What the use cases of owners ask of the world, clock and chance among it. */
export interface Ports {
  readonly unitOfWork: UnitOfWork;
  readonly webhooks: WebhookReads;
  readonly webhookKeys: Pick<WebhookKeys, 'signing'>;
  readonly failing: FailingReads;
  readonly deliveries: DeliveryReads;
  readonly redeliveries: Redeliveries;
  readonly replays: Replays;
  readonly tests: TestEvents;
  readonly payloads: Payloads;
  readonly statistics: StatisticsReads;
  readonly events: EventReads;
  /** At most so many webhooks may a user have. */
  readonly webhooksPerUserMax: number;
  /** Tells the dispatcher of this replica, which would otherwise find out a moment later, and those who watch. */
  readonly webhookChanged: (webhook: WebhookOwner) => void;
  /** There is a replay to move on. */
  readonly replayBegun: () => void;
  readonly now: () => Date;
  readonly newWebhookId: () => string;
  readonly newOperationId: () => string;
  /**
   * Changes what is the user's when their changes before are done: one waits without a connection, and finds that
   * nothing has moved. Not within another such change. AppError `too_busy`.
   */
  readonly inTurn: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
  readonly newSecret: () => string;
}

/**
 * A webhook as its owner reads it: its row, its circuit while that is open or half open, and why its last attempt
 * failed, unless it succeeded.
 */
export interface Webhook extends WebhookRow {
  readonly circuit_opened_at: Date | null;
  readonly circuit_probe_at: Date | null;
  /** The first failure after the last success. */
  readonly failing_since: Date | null;
  readonly failing_reason: string | null;
  /** Until then a secret that was rotated away still signs beside its own; null: there is none. */
  readonly previous_secret_expires_at: Date | null;
}

export interface WebhookReads {
  /** The oldest with this href. */
  oldestAt(userId: string, href: string): Promise<Webhook | undefined>;
  byId(userId: string, webhookId: string): Promise<Webhook | undefined>;
  /** Newest first. */
  page(userId: string, page: PageRequest): Promise<Page<Webhook>>;
  /** Of all that the user has. */
  ids(userId: string): Promise<readonly string[]>;
  /** Empty: nobody ever configured it. */
  history(webhookId: string): Promise<readonly WebhookEvent[]>;
  /** Newest first: those that still sign. */
  secrets(webhook: WebhookRow): Promise<readonly Secret[]>;
  headers(webhook: WebhookRow): Promise<CustomHeaders | undefined>;
}

export interface FailingReads {
  /** Deletes the rows of webhooks whose last failure was before that. */
  purge(before: Date): Promise<void>;
  /** Some of the webhooks whose failures span that long. */
  failingFor(minMs: number): Promise<readonly FailingWebhook[]>;
}

export interface FailingWebhook extends WebhookOwner {
  /** The first failure since the last success. */
  readonly since: Date;
}

export interface DeliveryReads {
  /** Of these webhooks. */
  page(webhookIds: readonly string[], filter: DeliveryFilter): Promise<Page<DeliverySummary>>;
  detail(
    webhookId: string,
    userId: string,
    deliveryId: string,
  ): Promise<DeliveryDetail | undefined>;
  /** What these deliveries of the user sent, by their ids; without those that are not here any more. */
  bodies(userId: string, deliveryIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

export interface Redeliveries {
  /** Gives the id of the new delivery, or of the one that waits. Undefined: there is no such delivery. */
  add(webhookId: string, deliveryId: string): Promise<string | undefined>;
}

export interface Replays {
  count(webhookId: string, span: ReplaySpan): Promise<ReplayCount>;
  /** AppError `replay_under_way` while one of the webhook runs. */
  requireNone(webhookId: string): Promise<void>;
  begin(
    operationId: string,
    about: { readonly userId: string; readonly webhookId: string },
    span: ReplaySpan,
    counted: ReplayCount,
  ): Promise<ReplayOperation>;
  find(userId: string, operationId: string): Promise<ReplayOperation | undefined>;
  /** Newest first; of one webhook, if one is named. */
  page(
    userId: string,
    webhookId: string | undefined,
    page: PageRequest,
  ): Promise<Page<ReplayOperation>>;
  /** False: there is no such operation of this user. */
  cancel(userId: string, operationId: string): Promise<boolean>;
}

/** What keeps replays going. */
export interface ReplayRows {
  /**
   * Moves one operation on by a batch, in one transaction, and gives it as it is then; undefined: there is
   * none to move. `moved`: something was done, so there may be more at once.
   */
  advance(): Promise<{ readonly operation: ReplayOperation; readonly moved: boolean } | undefined>;
}

export interface TestEvents {
  /** Files an event for one webhook alone. */
  send(test: TestEvent): Promise<SentTest>;
}

export interface TestEvent {
  readonly userId: string;
  readonly webhookId: string;
  readonly kind: string;
  readonly data: object;
}

/** dlv_… and msg_… */
export interface SentTest {
  readonly deliveryId: string;
  readonly messageId: string;
}

/** What deliveries sent and what came back. */
export interface Payloads {
  /** Of a delivery and of those that repeat it. False: there is no such delivery. */
  redact(webhookId: string, deliveryId: string): Promise<boolean>;
  /** Of all deliveries that the user has by now, in the background. Gives that moment. */
  requestRedaction(userId: string): Promise<Date>;
}

export interface StatisticsReads {
  /** The oldest hour first. */
  hours(webhookIds: readonly string[], from: Date, to: Date): Promise<readonly WebhookHour[]>;
  /** How many deliveries wait for an attempt, 10,000 where there are more. */
  waiting(webhookIds: readonly string[]): Promise<number>;
  /** The same of each webhook. */
  waitingOfEach(webhookIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface EventReads {
  page(userId: string, filter: SeenEventFilter): Promise<Page<EventSummary>>;
  detail(userId: string, messageId: string): Promise<EventDetail | undefined>;
}

/** Something that a listener sees as it happens. */
export interface LiveEntry {
  readonly userId: string;
  /** wh_…; of an event, which is of no webhook, only zeros. */
  readonly webhookId: string;
  /** `delivery.filed`, `delivery.attempted`, `webhook.changed`, `operation.progressed`, `event.received` */
  readonly type: string;
  readonly data: object;
  /** What a webhook would get of an event: kept sealed. */
  readonly body?: Buffer | undefined;
}

/** What is listened to: events themselves, or what becomes of them at webhooks. */
export type LiveTopic = 'events' | 'deliveries';

export interface LiveQuery {
  /** The number of the last entry that was seen. */
  readonly after: string;
  readonly webhookId?: string | undefined;
  readonly topic: LiveTopic;
  readonly limit: number;
}

/** Where entries wait for those who listen. */
export interface LiveTailRows {
  /** From now on, and for some minutes, entries of this user are kept. */
  listen(userId: string, topic: LiveTopic): Promise<void>;
  listeners(): Promise<readonly { readonly userId: string; readonly events: boolean }[]>;
  append(entries: readonly LiveEntry[]): Promise<void>;
  /** The number of the user's newest entry. */
  lastId(userId: string): Promise<string>;
  /** Has an entry of anybody got this number, or a higher one? After a restore those of before it are ahead of all. */
  hasReached(id: string): Promise<boolean>;
  read(userId: string, query: LiveQuery): Promise<readonly (LiveEntry & { readonly id: string })[]>;
  purge(): Promise<void>;
}

/** An event of an assistant, or a notice of ours, that keeps the rules of its topic. Ids as in the contract. */
export interface IncomingEvent {
  /** msg_… */
  readonly messageId: string;
  readonly source: string;
  readonly id: string;
  readonly userId: string;
  readonly kind: string;
  /** When it happened, as its producer says. */
  readonly time: Date;
  readonly data: Buffer;
  /** When it was taken in: what is filed of it is filed under this day. */
  readonly at: Date;
  /** The webhook that a notice is about: never delivered to that one. */
  readonly aboutWebhookId?: string | undefined;
  /** W3C Trace Context that its deliveries belong to. */
  readonly traceparent?: string | undefined;
}

export interface MatchedWebhook extends Matchable {
  readonly version: number;
  /** Of its owner. */
  readonly shard: number;
}

export type WebhooksByUser = ReadonlyMap<string, readonly MatchedWebhook[]>;

export interface JudgedEvent {
  readonly event: IncomingEvent;
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

export type Delivered = 'pending' | 'held';

export interface NewDelivery {
  readonly job: Job;
  /** When what it tells of happened, as the producer of the event says. */
  readonly eventTime: Date;
  readonly verdict: Delivered;
  /** Its first attempt, which succeeded before this is filed. */
  readonly sent?: AttemptRecord | undefined;
}

export interface IntakeReads {
  /**
   * The webhooks of the users of these events, as they are when this is called or later, and which of the events were
   * seen before.
   */
  look(events: readonly IncomingEvent[]): Promise<{
    readonly webhooks: WebhooksByUser;
    /** By IncomingEvent.messageId. */
    readonly known: ReadonlySet<string>;
  }>;
}

/** Events that are filed, within one transaction. */
export interface IntakeRows {
  /**
   * Files events, and of these deliveries those whose event is filed. Gives the events that somebody else has filed
   * since they were looked up, by messageId.
   */
  record(
    events: readonly JudgedEvent[],
    deliveries: readonly NewDelivery[],
  ): Promise<ReadonlySet<string>>;
  /** Counts events that were dropped: by message, how often each came again. */
  countRepeats(repeats: ReadonlyMap<string, number>): Promise<void>;
  /** Files more deliveries of events that are filed. */
  insertDeliveries(deliveries: readonly NewDelivery[]): Promise<void>;
}
