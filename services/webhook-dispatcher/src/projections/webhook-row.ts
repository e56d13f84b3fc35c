import { type SnakeCased, snakeCased } from '@junction/contracts';
import type { Projection } from '@junction/eventsourcing';
import {
  type DisabledReason,
  disabledReasonOf,
  type WebhookEvent,
  type WebhookStatus,
} from '../domain/webhook/events.js';
import { hrefOf, urlOf } from '../domain/webhook/href.js';
import { DEFAULT_OPTIONS, optionsIn, type WebhookOptions } from '../domain/webhook/options.js';
import { statusOf } from '../domain/webhook/state.js';

/** A webhook as it is now: as owners read it, events are matched with it, and requests are sent to it. */
export interface WebhookRow extends SnakeCased<WebhookOptions> {
  readonly webhook_id: string;
  readonly user_id: string;
  readonly url: string;
  readonly href: string;
  readonly events: readonly string[];
  readonly status: WebhookStatus;
  readonly disabled_reason: DisabledReason | null;
  readonly disabled_at: Date | null;
  readonly paused: boolean;
  readonly has_secret: boolean;
  readonly secret_version: number;
  /** Version of the webhook's stream. */
  readonly version: number;
  readonly created_at: Date;
  /** Time of the last change by the owner, or by us on behalf of the owner. */
  readonly updated_at: Date;
}

export const webhookRow: Projection<WebhookRow, WebhookEvent> = {
  table: 'webhooks',
  key: 'webhook_id',
  aggregate: 'webhook',

  evolve(row, event, { streamId, version }) {
    if (event.type === 'webhook.configured') {
      return created(event.data, streamId.replace(/^webhook-/, ''), version);
    }
    if (row === undefined || event.type === 'webhook.deleted') return undefined;
    const after = { ...row, ...changed(event), version };
    const { paused, disabled_reason: disabledReason } = after;
    return { ...after, status: statusOf({ paused, disabledReason }) };
  },
};

type Of<Type> = Extract<WebhookEvent, { type: Type }>['data'];

function created(data: Of<'webhook.configured'>, webhookId: string, version: number): WebhookRow {
  const { userId, url, events, enabled, secretVersion } = data;
  const disabledReason = enabled ? null : 'user';
  return {
    webhook_id: webhookId,
    user_id: userId,
    url,
    href: knownHref(url),
    events,
    status: statusOf({ paused: false, disabledReason }),
    disabled_reason: disabledReason,
    disabled_at: enabled ? null : new Date(data.at),
    paused: false,
    has_secret: secretVersion > 0,
    secret_version: secretVersion,
    ...snakeCased(DEFAULT_OPTIONS),
    version,
    created_at: new Date(data.at),
    updated_at: new Date(data.at),
  };
}

type LaterEvent = Exclude<WebhookEvent, { type: 'webhook.configured' | 'webhook.deleted' }>;

function changed(event: LaterEvent): Partial<WebhookRow> {
  const at = new Date(event.data.at);
  switch (event.type) {
    case 'webhook.updated':
      return { ...updated(event.data), updated_at: at };
    case 'webhook.options_changed':
      return { ...snakeCased(optionsIn(event.data)), updated_at: at };
    case 'webhook.secret_rotated':
      return { has_secret: true, secret_version: event.data.secretVersion, updated_at: at };
    case 'webhook.enabled':
      return { disabled_reason: null, disabled_at: null, updated_at: at };
    case 'webhook.disabled':
      return { disabled_reason: disabledReasonOf(event.data), disabled_at: at, updated_at: at };
  }
}

const updated = (data: Of<'webhook.updated'>): Partial<WebhookRow> => ({
  ...(data.url !== undefined && { url: data.url, href: knownHref(data.url) }),
  events: data.events,
  paused: data.paused,
  has_secret: data.hasSecret,
  secret_version: data.secretVersion,
});

/**
 * Returns the href of a url. In a rebuild the url of a deleted user reads as no url, until the event that deletes the
 * webhook.
 */
const knownHref = (url: string): string => (urlOf(url) ? hrefOf(url) : url);
