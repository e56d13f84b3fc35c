import type { Webhook } from '../api/types.js';
import { nameOf } from '../model/all-webhooks.js';

export const STATES = {
  failing: 'Failing',
  active: 'Active',
  paused: 'Paused',
  disabled: 'Disabled',
} as const;

export const SORTS = {
  failing: 'Failing first',
  newest: 'Newest first',
  name: 'By name',
} as const;

export type State = keyof typeof STATES;
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

/** Nothing gets through now: attempts fail, the circuit is open, or that has disabled the webhook. */
export const isFailing = ({ failing, circuit, disabled_reason: reason }: Webhook): boolean =>
  failing !== undefined || circuit !== undefined || (reason !== undefined && reason !== 'user');

export const isIn = (webhook: Webhook, state: State): boolean =>
  state === 'failing' ? isFailing(webhook) : webhook.status === state;

/** Returns the webhooks to show in their order. */
export function listed(
  webhooks: readonly Webhook[],
  { text = '', state, sort = 'failing' }: WebhookListSearch,
): readonly Webhook[] {
  const sought = text.trim().toLowerCase();
  return webhooks
    .filter((webhook) => state === undefined || isIn(webhook, state))
    .filter((webhook) => textOf(webhook).includes(sought))
    .toSorted(ORDERS[sort]);
}

const textOf = ({ url, description = '', webhook_id: webhookId, events }: Webhook): string =>
  [url, description, webhookId, ...events].join(' ').toLowerCase();

type Order = (one: Webhook, other: Webhook) => number;

const newest: Order = (one, other) => other.created_at.localeCompare(one.created_at);

const ORDERS: Readonly<Record<Sort, Order>> = {
  failing: (one, other) => Number(isFailing(other)) - Number(isFailing(one)) || newest(one, other),
  newest,
  name: (one, other) => nameOf(one).localeCompare(nameOf(other)),
};
