import {
  type DisabledReason,
  disabledReasonOf,
  type StoredReason,
  type WebhookEvent,
  type WebhookStatus,
} from './events.js';
import { DEFAULT_OPTIONS, optionsIn, type WebhookOptions } from './options.js';

export interface LiveWebhook {
  readonly state: 'live';
  readonly userId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly paused: boolean;
  /** Reason why the webhook is disabled; null: it is not. */
  readonly disabledReason: DisabledReason | null;
  /** Reason that counts once no operator disables it; null: it is enabled then. */
  readonly disabledBefore: StoredReason | null;
  readonly hasSecret: boolean;
  readonly secretVersion: number;
  readonly options: WebhookOptions;
}

export type Webhook =
  | { readonly state: 'none' }
  | LiveWebhook
  | { readonly state: 'deleted'; readonly userId: string };

/** Returns the status: a disabled webhook stays disabled while it is paused, and shows as paused once it is enabled. */
export const statusOf = ({
  disabledReason,
  paused,
}: Pick<LiveWebhook, 'disabledReason' | 'paused'>): WebhookStatus => {
  if (disabledReason !== null) return 'disabled';
  return paused ? 'paused' : 'active';
};

export function evolveWebhook(webhook: Webhook, event: WebhookEvent): Webhook {
  if (event.type === 'webhook.configured') {
    const { userId, url, events, enabled, secretVersion } = event.data;
    return {
      state: 'live',
      userId,
      url,
      events,
      paused: false,
      disabledReason: enabled ? null : 'user',
      disabledBefore: enabled ? null : 'user',
      hasSecret: secretVersion > 0,
      secretVersion,
      options: DEFAULT_OPTIONS,
    };
  }
  return webhook.state === 'live' ? evolveLive(webhook, event) : webhook;
}

type LaterEvent = Exclude<WebhookEvent, { type: 'webhook.configured' }>;

function evolveLive(webhook: LiveWebhook, event: LaterEvent): Webhook {
  switch (event.type) {
    case 'webhook.updated': {
      const { url = webhook.url, events, paused, hasSecret, secretVersion } = event.data;
      return { ...webhook, url, events, paused, hasSecret, secretVersion };
    }
    case 'webhook.options_changed':
      return { ...webhook, options: optionsIn(event.data) };
    case 'webhook.secret_rotated':
      return { ...webhook, hasSecret: true, secretVersion: event.data.secretVersion };
    case 'webhook.enabled':
      return { ...webhook, disabledReason: null, disabledBefore: null };
    case 'webhook.disabled': {
      const { reason, byOperator } = event.data;
      const disabledBefore = byOperator ? webhook.disabledBefore : reason;
      return { ...webhook, disabledReason: disabledReasonOf(event.data), disabledBefore };
    }
    case 'webhook.deleted':
      return { state: 'deleted', userId: webhook.userId };
  }
}
