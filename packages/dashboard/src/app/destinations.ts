import type { NavigateOptions } from '@tanstack/react-router';
import type { Webhook } from '../api/types.js';
import { idIn } from '../deliveries/filter.js';
import { nameOf } from '../model/all-webhooks.js';
import { labelOfKind } from '../model/event-kinds.js';
import { addressOf } from '../ui/url-parts.js';

/** Where the palette leads. */
export interface Destination {
  readonly label: string;
  readonly about: string;
  /** Absent: the delivery of this id is looked for first. */
  readonly to?: NavigateOptions;
  readonly deliveryId?: string;
}

const PAGES: readonly Destination[] = [
  { label: 'Home', about: 'Page', to: { to: '/' } },
  { label: 'Integrations', about: 'Page', to: { to: '/integrations' } },
  { label: 'Webhooks', about: 'Page', to: { to: '/webhooks' } },
  { label: 'Add a webhook', about: 'Page', to: { to: '/webhooks/new' } },
  { label: 'Deliveries', about: 'Page', to: { to: '/deliveries' } },
  {
    label: 'Failed deliveries',
    about: 'Page',
    to: { to: '/deliveries', search: { status: 'exhausted' } },
  },
  { label: 'Your account', about: 'Page', to: { to: '/account' } },
];
const SHOWN_MAX = 12;

/** Returns where a text leads: to what it names by its id, and to whatever has it in its name. */
export function destinationsOf(
  text: string,
  webhooks: readonly Webhook[],
  kinds: readonly string[],
): readonly Destination[] {
  const sought = text.trim().toLowerCase();
  const has = (...words: readonly string[]) => words.join(' ').toLowerCase().includes(sought);
  const all = [
    ...named(text),
    ...PAGES.filter(({ label }) => has(label)),
    ...webhooks
      .filter((webhook) => has(nameOf(webhook), webhook.url, webhook.webhook_id))
      .map(toWebhook),
    ...kinds.filter((kind) => has(kind, labelOfKind(kind))).map(toKind),
    ...(sought === '' ? [] : [toSearch(text.trim())]),
  ];
  return all.slice(0, SHOWN_MAX);
}

/** An id that stands somewhere in what was pasted. */
function named(text: string): readonly Destination[] {
  const id = idIn(text);
  if (id === undefined) return [];
  return id.startsWith('dlv_')
    ? [{ label: id, about: 'Delivery', deliveryId: id }]
    : [{ label: id, about: 'Event', to: { to: '/events/$messageId', params: { messageId: id } } }];
}

function toWebhook(webhook: Webhook): Destination {
  const { webhook_id: webhookId, description } = webhook;
  return {
    label: nameOf(webhook),
    about: description === undefined ? 'Webhook' : addressOf(webhook),
    to: { to: '/webhooks/$webhookId', params: { webhookId } },
  };
}

const toKind = (kind: string): Destination => ({
  label: kind,
  about: 'Deliveries of this kind',
  to: { to: '/deliveries', search: { event_type: kind } },
});

const toSearch = (text: string): Destination => ({
  label: `“${text}”`,
  about: 'Search deliveries',
  to: { to: '/deliveries', search: { text } },
});
