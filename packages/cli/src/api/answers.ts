import type { Schemas } from '@junction/client';

/** What the API answers, as its document has it. */

export type Integration = Schemas['Integration'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type Attempt = Schemas['Attempt'];
export type AssistantEvent = Schemas['EventDetail'];
export type Operation = Schemas['Operation'];

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}
