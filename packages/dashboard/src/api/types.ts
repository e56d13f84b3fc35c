// What the API answers, as services/*/README.md and docs/webhooks/http.md say. Fields the page does
// not show are left out.

export interface User {
  readonly id: string;
  /** null: the issuer at which the user signs in knows it. */
  readonly email: string | null;
  readonly email_verified: boolean;
  readonly created_at: string;
  /** `password`, or the id of the issuer at which the user signs in. */
  readonly origin: string;
  readonly has_password: boolean;
  readonly second_factor: boolean;
}

export interface SecondFactors {
  /** null: no authenticator app. */
  readonly totp: { readonly created_at: string } | null;
  readonly passkeys: readonly Passkey[];
  readonly recovery_codes_left: number;
}

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** A sign-in that goes on. */
export interface Session {
  readonly id: string;
  /** `Firefox on Linux`; null: it did not say. */
  readonly device: string | null;
  readonly started_at: string;
  readonly last_used_at: string;
  readonly is_current: boolean;
}

/** What was deleted with an account: how many of each kind. It names nobody. */
export interface DeletionReceipt {
  readonly deleted_at: string;
  /** null: that service is not done yet. */
  readonly services: Readonly<Record<string, Readonly<Record<string, number>> | null>>;
  readonly complete: boolean;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** `["api"]`: not limited. */
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  /** How long the secret before the last rotation is taken. */
  readonly previous_valid_until: string | null;
  /** Exact to the minute. */
  readonly last_used_at: string | null;
}

/** The kind of account. */
export type Provider = 'mailbox' | 'calendar';

/** Where accounts live. */
export interface IdentityProvider {
  readonly id: string;
  readonly display_name: string;
  /** A data: URI. */
  readonly icon: string | null;
  /** The kinds that it serves. */
  readonly providers: readonly Provider[];
}

/** The registration of this installation at an identity provider, for one kind. */
export interface Client {
  readonly identityProvider: string;
  readonly provider: Provider;
}

export type IntegrationStatus =
  | 'active'
  | 'degraded'
  | 'reconnect_required'
  | 'revoked'
  | 'disconnected';

/** An account that was connected at least once. */
export interface Integration {
  readonly integration_id: string;
  readonly provider: Provider;
  readonly identity_provider: string;
  /** The name of the account at its identity provider. */
  readonly account: string;
  /** The one of its kind that serves whoever names none. */
  readonly is_primary: boolean;
  readonly connected: boolean;
  readonly status: IntegrationStatus;
  readonly status_reason: string | null;
  readonly connected_at: string;
  readonly granted_scopes: readonly string[];
  readonly missing_scopes: readonly string[];
  /** False: the provider gave nothing to renew access with. */
  readonly renewable: boolean;
  readonly last_refreshed_at: string | null;
}

export interface HistoryItem {
  readonly type: string;
  readonly at: string;
  readonly actor: 'user' | 'provider' | 'system';
  readonly detail: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

export interface Webhook {
  readonly webhook_id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly has_secret: boolean;
  /** Signed with the service's key pair as well. */
  readonly signature?: 'ed25519';
  readonly status: 'active' | 'paused' | 'disabled';
  readonly disabled_reason?: 'user' | 'gone_410' | 'failing';
  readonly circuit?: Circuit;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Circuit {
  readonly state: string;
  readonly opened_at: string;
  readonly probe_at: string;
}

export const DELIVERY_STATUSES = [
  'pending',
  'retrying',
  'held',
  'succeeded',
  'exhausted',
  'refused',
  'cancelled',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Delivery {
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly event_type: string;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly attempt_count: number;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
  readonly ended_at: string | null;
}

export interface DeliveryDetail extends Delivery {
  /** The exact text that every attempt sends; null when it cannot be shown any more. */
  readonly request_body: string | null;
  readonly attempts: readonly Attempt[];
}

export interface Attempt {
  readonly attempt: number;
  readonly at: string;
  /** `succeeded` or why not: http_500, timeout, … */
  readonly result: string;
  readonly request?: SentRequest;
  readonly response_status: number | null;
  readonly timing: Timing;
  /** The beginning of the answer, as text; written by a stranger. */
  readonly response_sample: string | null;
}

/** Milliseconds. */
export interface Timing {
  /** Until the headers of the answer were there; null: none came. */
  readonly first_byte_ms: number | null;
  readonly total_ms: number;
}

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What of it cannot be shown. */
  readonly note?: string;
}
