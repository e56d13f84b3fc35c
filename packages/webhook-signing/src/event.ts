/** The body of a webhook request. Its `event_type` says what `data` holds. */
export type WebhookEvent = {
  readonly [Kind in keyof WebhookEventData]: WebhookEventOf<Kind>;
}[keyof WebhookEventData];

export interface WebhookEventOf<Kind extends keyof WebhookEventData> {
  readonly event_type: Kind;
  /** A UUID. */
  readonly user_id: string;
  readonly data: WebhookEventData[Kind];
  /** When it happened: ISO 8601, UTC. */
  readonly timestamp: string;
  readonly webhook_id: string;
}

/** Types of `data`, by kind. Producers may add fields. */
export interface WebhookEventData {
  readonly 'inbox.organized': Fields<{
    total_emails: number;
    categorized: Fields<{ important: number; meetings: number; tasks: number }>;
  }>;
  readonly 'draft.created': Told<{ draft_id: string; subject: string; to: readonly string[] }>;
  readonly 'meeting.joined': Told<{ meeting_id: string; title: string; notes: string }>;
  readonly 'briefing.sent': Told<{ briefing_id: string; items: number }>;
  readonly 'reminder.sent': Told<{ reminder_id: string; text: string }>;
  readonly 'webhook.disabled': AboutWebhook<{ reason: 'gone_410' | 'failing' }>;
  readonly 'webhook.failing': AboutWebhook<{ since: string; reason: string }>;
  readonly 'webhook.exhausted': AboutWebhook<{
    delivery_id: string;
    message_id: string;
    event_type: string;
    attempts: number;
    reason: string;
  }>;
  readonly 'webhook.refused': AboutWebhook<{ reason: string }>;
  readonly 'webhook.recovered': AboutWebhook<object>;
  readonly 'integration.connected': AboutIntegration<object>;
  readonly 'integration.degraded': AboutIntegration<{ reason: string }>;
  readonly 'integration.recovered': AboutIntegration<object>;
  readonly 'integration.reconnect_required': AboutIntegration<{ reason: string }>;
  readonly 'integration.disconnected': AboutIntegration<{ reason: string }>;
}

type Fields<Known> = Readonly<Known> & { readonly [field: string]: unknown };

/** Fields as they are described: each may be absent, and nobody checks its type before it is delivered. */
type Told<Known> = Fields<{ [Name in keyof Known]?: Known[Name] | undefined }>;

type AboutWebhook<Known> = Fields<Known & { webhook_id: string; occurred_at: string }>;

type AboutIntegration<Known> = Fields<
  Known & {
    provider: string;
    integration_id: string;
    identity_provider: string;
    account: string;
    occurred_at: string;
  }
>;

const TEXTS = ['event_type', 'user_id', 'timestamp', 'webhook_id'] as const;

/** True when these are its fields. What `data` holds was checked before it was sent. */
export function isWebhookEvent(value: unknown): value is WebhookEvent {
  if (!isObject(value) || !isObject(value['data'])) return false;
  return TEXTS.every((name) => typeof value[name] === 'string');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
