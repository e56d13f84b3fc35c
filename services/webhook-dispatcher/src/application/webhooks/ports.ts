import type { DisabledReason, WebhookStatus } from '../../domain/webhook/events.js';
import type { WebhookOptions } from '../../domain/webhook/options.js';
import type { PageRequest } from '../page.js';
import type { WebhookOwner } from '../unit-of-work.js';

/** Status of a webhook, of whose active ones those fail of which nothing gets through. */
export type WebhookState = WebhookStatus | 'failing';

export interface WebhookPageRequest extends PageRequest {
  /** State of the webhooks to list; undefined: any. */
  readonly state?: WebhookState | undefined;
}

/**
 * A webhook as its owner reads it, with its circuit while that is open or half open, and why its last attempt failed,
 * unless it succeeded.
 */
export interface Webhook extends WebhookOwner, WebhookOptions {
  readonly url: string;
  readonly events: readonly string[];
  readonly status: WebhookStatus;
  readonly state: WebhookState;
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
  /** True: an operator has paused its host or its user, whatever the owner wants. */
  readonly isPausedByOperator: boolean;
  /** Time until which a secret before the last rotation still signs beside the current one; null: there is none. */
  readonly previousSecretExpiresAt: Date | null;
}

/** Host or user that an operator pauses; the other one is null. */
export interface Paused {
  readonly host: string | null;
  readonly userId: string | null;
}

export interface FailingWebhook extends WebhookOwner {
  /** Time of the first failure since the last success. */
  readonly since: Date;
  /** Result of the last attempt. */
  readonly reason: string;
}
