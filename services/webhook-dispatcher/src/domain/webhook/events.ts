import type { Event } from '@junction/eventsourcing';
import type { StoredOptions } from './options.js';

/** Reason why a webhook is disabled: its owner, a 410 Gone, days of nothing but failure, or an operator. */
export type DisabledReason = StoredReason | 'operator';

/** Reason as it is stored. */
export type StoredReason = 'user' | 'gone_410' | 'failing';

/**
 * Events in the life of a webhook. Stored forever: add types and fields, but never rename one or give it a second
 * meaning. Each event names its user, whose key seals the url; secrets are never among the fields.
 */
export type WebhookEvent =
  | Event<
      'webhook.configured',
      About & {
        readonly url: string;
        readonly events: readonly string[];
        readonly enabled: boolean;
        /** Version of the secret; 0: no secret. */
        readonly secretVersion: number;
      }
    >
  | Event<'webhook.updated', About & WebhookAsUpdated>
  | Event<
      'webhook.options_changed',
      About & StoredOptions & { readonly changed?: readonly ['headers'] }
    >
  | Event<
      'webhook.secret_rotated',
      About & {
        readonly secretVersion: number;
        /** Time until which the secret before signs beside the new one; null: there was none. */
        readonly previousExpiresAt: string | null;
      }
    >
  | Event<'webhook.enabled', About>
  | Event<'webhook.disabled', About & Disabling>
  | Event<'webhook.deleted', About & { readonly reason: DeletedReason }>;

export type WebhookStatus = 'active' | 'paused' | 'disabled';

export type DeletedReason = 'user' | 'user_deleted';

interface About {
  readonly userId: string;
  /** Time in ISO 8601, UTC. */
  readonly at: string;
}

/** An operator disables as a user does, for versions that know no operators here, and is named beside. */
interface Disabling {
  readonly reason: StoredReason;
  readonly byOperator?: true;
}

export const disabledReasonOf = ({ reason, byOperator }: Disabling): DisabledReason =>
  byOperator ? 'operator' : reason;

/** Traits of a webhook whose change its owner is mailed, because somebody else gains by it. */
export type ToldTrait = 'url' | 'events' | 'secret';

/** The webhook after the change. The url, which is personal, is repeated only when it is new. */
export interface WebhookAsUpdated {
  readonly url?: string;
  readonly events: readonly string[];
  readonly paused: boolean;
  readonly hasSecret: boolean;
  /** Number that grows by one with each secret that is set, so that no two secrets have the same version. */
  readonly secretVersion: number;
  readonly status: WebhookStatus;
  /** Absent: none of them, or the event is of before they were told. */
  readonly changed?: readonly ToldTrait[];
}
