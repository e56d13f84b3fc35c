import type { Schemas } from '@junction/client';

/** Answers of the API, as its document describes them. */

export type Integration = Schemas['Integration'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type Attempt = Schemas['Attempt'];
export type AssistantEvent = Schemas['EventDetail'];
export type Operation = Schemas['Operation'];

/** Page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}
