import { AppError } from '@junction/errors';
import type { Command, Decider } from '@junction/eventsourcing';
import type { DeletedReason, StoredReason, ToldTrait, WebhookEvent } from './events.js';
import { changedOptions, DEFAULT_OPTIONS, type OptionsChange } from './options.js';
import { evolveWebhook, type LiveWebhook, statusOf, type Webhook } from './state.js';

/** Change of the secret. The secret itself never enters the domain. */
export type SecretChange = 'keep' | 'set' | 'delete';

export type WebhookCommand =
  | Command<'ConfigureWebhook', ConfigureWebhook>
  | Command<'ChangeWebhook', ChangeWebhook>
  | Command<'RotateSecret', { previousExpiresAt: string; at: string }>
  | Command<'DisableWebhook', { reason: StoredReason; at: string }>
  | Command<'OperateWebhook', { enabled: boolean; at: string }>
  | Command<'DeleteWebhook', { reason: DeletedReason; at: string }>;

interface ConfigureWebhook {
  readonly userId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly secret: SecretChange;
  readonly options?: OptionsChange | undefined;
  readonly at: string;
}

interface ChangeWebhook {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly paused?: boolean | undefined;
  readonly secret: SecretChange;
  readonly options?: OptionsChange | undefined;
  readonly at: string;
}

export const webhookDecider: Decider<Webhook, WebhookCommand, WebhookEvent> = {
  initialState: { state: 'none' },
  decide,
  evolve: evolveWebhook,
};

function decide(command: WebhookCommand, webhook: Webhook): readonly WebhookEvent[] {
  switch (command.type) {
    case 'ConfigureWebhook': {
      if (webhook.state === 'none') return created(command.data);
      return changes(command.data, live(webhook));
    }

    case 'ChangeWebhook':
      return changes(command.data, live(webhook));

    case 'RotateSecret':
      return [rotated(command.data, live(webhook))];

    case 'DisableWebhook': {
      if (webhook.state !== 'live' || webhook.disabledReason !== null) return [];
      const { reason, at } = command.data;
      return [{ type: 'webhook.disabled', data: { userId: webhook.userId, reason, at } }];
    }

    case 'OperateWebhook':
      return operated(command.data, live(webhook));

    case 'DeleteWebhook': {
      if (webhook.state !== 'live') return [];
      return [{ type: 'webhook.deleted', data: { userId: webhook.userId, ...command.data } }];
    }
  }
}

/** An operator's disabling outlasts what its owner wants, and its end brings back what was before. */
function operated(
  { enabled, at }: { enabled: boolean; at: string },
  { userId, disabledReason, disabledBefore: reason }: LiveWebhook,
): readonly WebhookEvent[] {
  if (enabled !== (disabledReason === 'operator')) return [];
  const about = { userId, at };
  if (!enabled) {
    return [{ type: 'webhook.disabled', data: { ...about, reason: 'user', byOperator: true } }];
  }
  if (reason === null) return [{ type: 'webhook.enabled', data: about }];
  return [{ type: 'webhook.disabled', data: { ...about, reason } }];
}

function live(webhook: Webhook): LiveWebhook {
  if (webhook.state === 'live') return webhook;
  throw new AppError('webhook_not_found', 'There is no such webhook.');
}

function created({ secret, options = {}, ...data }: ConfigureWebhook): readonly WebhookEvent[] {
  const configured: WebhookEvent = {
    type: 'webhook.configured',
    data: { ...data, secretVersion: secret === 'set' ? 1 : 0 },
  };
  const { userId, at } = data;
  const after = changedOptions(DEFAULT_OPTIONS, options);
  if (after === undefined) return [configured];
  return [configured, { type: 'webhook.options_changed', data: { userId, at, ...after } }];
}

function rotated(
  { previousExpiresAt, at }: { previousExpiresAt: string; at: string },
  { userId, hasSecret, secretVersion }: LiveWebhook,
): WebhookEvent {
  return {
    type: 'webhook.secret_rotated',
    data: {
      userId,
      at,
      secretVersion: secretVersion + 1,
      previousExpiresAt: hasSecret ? previousExpiresAt : null,
    },
  };
}

function changes(wanted: ChangeWebhook, webhook: LiveWebhook): readonly WebhookEvent[] {
  const about = { userId: webhook.userId, at: wanted.at };
  if (wanted.enabled === true && webhook.disabledReason === 'operator') throw disabledByOperator();
  const { url = webhook.url, events: kinds = webhook.events, paused = webhook.paused } = wanted;
  const isMoved = url !== webhook.url;
  const changed: readonly ToldTrait[] = [
    ...(isMoved ? (['url'] as const) : []),
    ...(sameKinds(kinds, webhook.events) ? [] : (['events'] as const)),
    ...(changesSecret(wanted.secret, webhook) ? (['secret'] as const) : []),
  ];

  const events: WebhookEvent[] = [];
  if (changed.length > 0 || paused !== webhook.paused) {
    const { disabledReason } = webhook;
    const after = { events: kinds, paused, ...secretAfter(wanted.secret, webhook) };
    const status = statusOf({ disabledReason, paused });
    const told = changed.length > 0 && { changed };
    const data = { ...about, ...(isMoved && { url }), ...after, status, ...told };
    events.push({ type: 'webhook.updated', data });
  }
  const options = changedOptions(webhook.options, wanted.options ?? {});
  if (options !== undefined) {
    const hasOtherHeaders = options.headersVersion !== webhook.options.headersVersion;
    const told = hasOtherHeaders && { changed: ['headers'] as const };
    events.push({ type: 'webhook.options_changed', data: { ...about, ...options, ...told } });
  }
  if (wanted.enabled === true && webhook.disabledReason !== null) {
    events.push({ type: 'webhook.enabled', data: about });
  }
  if (wanted.enabled === false && webhook.disabledReason === null) {
    events.push({ type: 'webhook.disabled', data: { ...about, reason: 'user' } });
  }
  return events;
}

const disabledByOperator = () =>
  new AppError(
    'webhook_disabled_by_operator',
    'An operator has disabled this webhook, and only an operator can enable it.',
  );

const changesSecret = (secret: SecretChange, { hasSecret }: LiveWebhook): boolean =>
  secret === 'set' || (secret === 'delete' && hasSecret);

function secretAfter(secret: SecretChange, { hasSecret, secretVersion }: LiveWebhook) {
  switch (secret) {
    case 'keep':
      return { hasSecret, secretVersion };
    case 'set':
      return { hasSecret: true, secretVersion: secretVersion + 1 };
    case 'delete':
      return { hasSecret: false, secretVersion };
  }
}

const sameKinds = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((kind, index) => kind === other[index]);
