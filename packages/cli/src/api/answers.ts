import type { Schemas } from '@junction/client';

/** Answers of the API, as its document describes them. */

export type EventType = Schemas['EventType'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type Attempt = Schemas['Attempt'];
export type AssistantEvent = Schemas['EventDetail'];
export type Operation = Schemas['Operation'];

/** Returns the first `count` items of a list. */
export async function firstOf<Item>(
  count: number,
  items: AsyncIterable<Item>,
): Promise<readonly Item[]> {
  const first: Item[] = [];
  for await (const item of items) {
    first.push(item);
    if (first.length === count) break;
  }
  return first;
}
