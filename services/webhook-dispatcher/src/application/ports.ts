import type { CustomHeaders } from '../domain/webhook/custom-headers.js';
import type { WebhookEvent } from '../domain/webhook/events.js';
import type { WebhookRow } from '../projections/webhook-row.js';
import type { DeliveryDetail, DeliveryFilter, DeliverySummary } from './delivery-log.js';
import type { Secret } from './dispatch/job.js';
import type { EventDetail, EventSummary, SeenEventFilter } from './event-log.js';
import type { Page, PageRequest } from './page.js';
import type { ReplayCount, ReplayOperation, ReplaySpan } from './replay.js';
import type { WebhookHour } from './statistics.js';
import type { UnitOfWork } from './unit-of-work.js';

/** What the use cases of webhooks need from the world. Clock and chance are among it. */
export interface Ports {
  readonly unitOfWork: UnitOfWork;
  readonly webhooks: WebhookReads;
  readonly failing: FailingReads;
  readonly deliveries: DeliveryReads;
  /** At most so many webhooks may a user have. */
  readonly webhooksPerUserMax: number;
  /** Tells the dispatcher of this replica, which would otherwise find out a moment later. */
  readonly webhookChanged: (webhookId: string) => void;
  readonly now: () => Date;
  readonly newWebhookId: () => string;
  readonly newSecret: () => string;
}

/** A webhook as its owner reads it: its row, and its circuit while that is open or half open. */
export interface Webhook extends WebhookRow {
  readonly circuit_opened_at: Date | null;
  readonly circuit_probe_at: Date | null;
}

export interface WebhookReads {
  byHref(userId: string, href: string): Promise<Webhook | undefined>;
  byId(userId: string, webhookId: string): Promise<Webhook | undefined>;
  /** Newest first. */
  page(userId: string, page: PageRequest): Promise<Page<Webhook>>;
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

export interface FailingWebhook {
  /** wh_… */
  readonly webhookId: string;
  /** The first failure since the last success. */
  readonly since: Date;
}

export interface DeliveryReads {
  page(webhookId: string, filter: DeliveryFilter): Promise<Page<DeliverySummary>>;
  detail(
    webhookId: string,
    userId: string,
    deliveryId: string,
  ): Promise<DeliveryDetail | undefined>;
}

/** What looking back and sending again need from the world. */
export interface HistoryPorts {
  readonly webhooks: Pick<WebhookReads, 'byId'>;
  readonly redeliveries: Redeliveries;
  readonly replays: Replays;
  readonly tests: TestEvents;
  readonly payloads: Payloads;
  readonly statistics: StatisticsReads;
  readonly events: EventReads;
  readonly newOperationId: () => string;
  /** There is a replay to move on. */
  readonly replayBegun: () => void;
}

export interface Redeliveries {
  /** Gives the id of the new delivery. Undefined: there is no such delivery to repeat. */
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
  /** False: there is no such operation of this user. */
  cancel(userId: string, operationId: string): Promise<boolean>;
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
  hours(webhookId: string, from: Date, to: Date): Promise<readonly WebhookHour[]>;
}

export interface EventReads {
  page(userId: string, filter: SeenEventFilter): Promise<Page<EventSummary>>;
  detail(userId: string, messageId: string): Promise<EventDetail | undefined>;
}
