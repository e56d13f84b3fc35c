import type { CustomHeaders } from '../../domain/webhook/custom-headers.js';
import type { DisabledReason, WebhookEvent, WebhookStatus } from '../../domain/webhook/events.js';
import type { WebhookOptions } from '../../domain/webhook/options.js';
import type { Secret } from '../job.js';
import type { Page, PageRequest } from '../page.js';
import type { WebhookOwner } from '../unit-of-work.js';

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
  /** Returns some of the active ones among them whose owner was not notified of it, or before that moment. */
  untold(minMs: number, toldBefore: Date): Promise<readonly FailingWebhook[]>;
}

export interface FailingWebhook extends WebhookOwner {
  /** Time of the first failure since the last success. */
  readonly since: Date;
  /** Result of the last attempt. */
  readonly reason: string;
}
