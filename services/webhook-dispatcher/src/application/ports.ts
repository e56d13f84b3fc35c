import type { CustomHeaders } from '../domain/webhook/custom-headers.js';
import type { WebhookEvent } from '../domain/webhook/events.js';
import type { WebhookRow } from '../projections/webhook-row.js';
import type { DeliveryDetail, DeliveryFilter, DeliverySummary } from './delivery-log.js';
import type { Secret } from './dispatch/job.js';
import type { Page, PageRequest } from './page.js';
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
