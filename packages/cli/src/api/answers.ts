/** What the commands read of the API's answers; packages/api/openapi.json has all of it. */

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

export interface Integration {
  readonly integration_id: string;
  readonly provider: string;
  readonly identity_provider: string;
  readonly account: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly connected_at: string;
}

export interface Webhook {
  readonly webhook_id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: 'active' | 'paused' | 'disabled';
  readonly has_secret: boolean;
  readonly created_at: string;
  readonly description?: string;
  readonly disabled_reason?: string;
  readonly disabled_at?: string | null;
  readonly circuit?: { readonly state: string; readonly probe_at: string };
  readonly failing?: {
    readonly since: string;
    readonly reason: string;
    readonly detail: string | null;
  };
}

export interface Delivery {
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly event_type: string;
  readonly status: string;
  readonly reason: string | null;
  readonly attempt_count: number;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
  readonly ended_at: string | null;
  readonly redelivery_of: string | null;
}

export interface Attempt {
  readonly attempt: number;
  readonly at: string;
  readonly result: string;
  readonly detail: string | null;
  readonly response_status: number | null;
  readonly timing: { readonly total_ms: number };
  readonly response_sample: string | null;
}

export interface DeliveryDetail extends Delivery {
  readonly request_body: string | null;
  readonly attempts: readonly Attempt[];
}

export interface AssistantEvent {
  readonly message_id: string;
  readonly event_type: string;
  readonly received_at: string;
  readonly repeats: number;
  readonly webhooks: readonly {
    readonly webhook_id: string;
    readonly matched: boolean;
    readonly verdict: string;
    readonly detail: string;
  }[];
  readonly deliveries: readonly Delivery[];
}

export interface Operation {
  readonly operation_id: string;
  readonly status: 'running' | 'completed' | 'cancelled';
  readonly reason: string | null;
  readonly count: number;
  readonly count_is_exact: boolean;
  readonly sent: number;
  readonly skipped: number;
  readonly progress: number;
}
