import type { Webhook } from '../api/types.js';
import { nameOf } from '../model/all-webhooks.js';
import { needsOwner, STATES, type State } from '../model/webhook-state.js';

export const SORTS = {
  failing: 'Failing first',
  newest: 'Newest first',
  name: 'By name',
} as const;

export type Sort = keyof typeof SORTS;

/** Choice of what the list shows. It is kept in the page's address, so that back and reload keep it. */
export interface WebhookListSearch {
  readonly text?: string | undefined;
  readonly state?: State | undefined;
  /** Absent: failing first. */
  readonly sort?: Sort | undefined;
}

/** Reads the search from the page's address, without values that mean nothing. */
export function webhookListSearch(search: Readonly<Record<string, unknown>>): WebhookListSearch {
  const { text, state, sort } = search;
  return {
    ...((typeof text === 'string' || typeof text === 'number') && { text: String(text) }),
    ...(isKeyOf(STATES, state) && { state }),
    ...(isKeyOf(SORTS, sort) && { sort }),
  };
}

const isKeyOf = <T extends object>(names: T, value: unknown): value is keyof T =>
  typeof value === 'string' && Object.hasOwn(names, value);

/** Returns the webhooks to show in their order. */
export function listed(
  webhooks: readonly Webhook[],
  { text = '', state, sort = 'failing' }: WebhookListSearch,
): readonly Webhook[] {
  const sought = text.trim().toLowerCase();
  return webhooks
    .filter((webhook) => state === undefined || webhook.state === state)
    .filter((webhook) => textOf(webhook).includes(sought))
    .toSorted(ORDERS[sort]);
}

const textOf = ({ url, description = '', webhook_id: webhookId, events }: Webhook): string =>
  [url, description, webhookId, ...events].join(' ').toLowerCase();

type Order = (one: Webhook, other: Webhook) => number;

/** Webhooks that fail come before those that failing has disabled. */
const urgency = (webhook: Webhook): number =>
  Number(needsOwner(webhook)) + Number(webhook.state === 'failing');

const newest: Order = (one, other) => other.created_at.localeCompare(one.created_at);

const ORDERS: Readonly<Record<Sort, Order>> = {
  failing: (one, other) => urgency(other) - urgency(one) || newest(one, other),
  newest,
  name: (one, other) => nameOf(one).localeCompare(nameOf(other)),
};
