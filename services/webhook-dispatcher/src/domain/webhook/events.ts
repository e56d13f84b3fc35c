import type { Event } from '@junction/eventsourcing';
import type { WebhookOptions } from './options.js';

/** Who or what turned delivery off: its owner, a 410 Gone, or days of nothing but failure. */
export type DisabledReason = 'user' | 'gone_410' | 'failing';

/**
 * The life of a webhook. Stored forever: add types and fields, but never rename one or give it a
 * second meaning. Each names its user, whose key seals the url; secrets are never among the fields.
 */
export type WebhookEvent =
  | Event<
      'webhook.configured',
      About & {
        readonly url: string;
        readonly events: readonly string[];
        readonly enabled: boolean;
        /** 0: no secret. */
        readonly secretVersion: number;
      }
    >
  | Event<'webhook.updated', About & WebhookAsUpdated>
  | Event<'webhook.options_changed', About & StoredOptions>
  | Event<
      'webhook.secret_rotated',
      About & {
        readonly secretVersion: number;
        /** Until when the secret before it signs beside it; null: there was none. */
        readonly previousExpiresAt: string | null;
      }
    >
  | Event<'webhook.enabled', About>
  | Event<'webhook.disabled', About & { readonly reason: DisabledReason }>
  | Event<'webhook.deleted', About & { readonly reason: DeletedReason }>;

export type WebhookStatus = 'active' | 'paused' | 'disabled';

export type DeletedReason = 'user' | 'user_deleted';

/** Options were stored before there were some of them: absent is what DEFAULT_OPTIONS has. */
type StoredOptions = Omit<WebhookOptions, LaterOptions> &
  Partial<Pick<WebhookOptions, LaterOptions>>;

type LaterOptions = 'signature' | 'metadata' | 'traceContext';

interface About {
  readonly userId: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** How the webhook is after the change; of the url, which is personal, only a new one is repeated. */
export interface WebhookAsUpdated {
  readonly url?: string;
  readonly events: readonly string[];
  readonly paused: boolean;
  readonly hasSecret: boolean;
  /** Grows by one with each secret that is set; a version is never used for two secrets. */
  readonly secretVersion: number;
  readonly status: WebhookStatus;
}
