import { isAscii } from 'node:buffer';
import { slices } from '@junction/async';
import type pg from 'pg';
import type { OpenSealed } from '../sealed-rows.js';
import { bodiesAt, bodySizes } from './delivery-bodies.js';
import type { DeliveryKey } from './delivery-rows.js';
import { folded, unescaped } from './folded-text.js';
import type { DeliverySummary } from './history-reads.js';

/** Bytes of sealed bodies that one search has in memory at a time; a single body may have more. */
export const OPENED_BYTES_MAX = 250_000;

/** Returns those of the deliveries in `items`, stored at these keys, that contain a text, in the order of `items`. */
export type Containing = (
  keys: readonly DeliveryKey[],
  items: readonly DeliverySummary[],
  text: string,
) => Promise<readonly DeliverySummary[]>;

/**
 * Looks in ids, kind and reason, and in the body, as it was sent and as its reader sees it. Bodies are sealed: no index
 * could know what is in them, so they are opened, few at a time.
 */
export const containing =
  (db: pg.Pool, openSealed: OpenSealed): Containing =>
  async (keys, items, text) => {
    const wanted = folded(text);
    const holding = new Set(
      items.filter((item) => isNamed(item, wanted)).map(({ delivery_id }) => delivery_id),
    );
    const others = new Set(
      items.map(({ delivery_id }) => delivery_id).filter((id) => !holding.has(id)),
    );
    const sealed = keys.filter(({ delivery_id: id }) => others.has(id));
    const between = slices();
    for (const some of batches(sealed, await bodySizes(db, sealed))) {
      for (const [deliveryId, body] of await bodiesAt(db, openSealed, some)) {
        if (holds(body, wanted)) holding.add(deliveryId);
        await between();
      }
    }
    return items.filter(({ delivery_id }) => holding.has(delivery_id));
  };

/** Divides keys, in their order, into batches whose bodies are in memory together. */
export function batches(
  keys: readonly DeliveryKey[],
  sizes: ReadonlyMap<string, number>,
): readonly (readonly DeliveryKey[])[] {
  const all: DeliveryKey[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    const size = sizes.get(key.delivery_id) ?? 0;
    bytes += size;
    if (bytes <= OPENED_BYTES_MAX) {
      all.at(-1)?.push(key);
      continue;
    }
    all.push([key]);
    bytes = size;
  }
  return all;
}

function holds(body: Buffer, wanted: string): boolean {
  // Nearly all bodies are ASCII, of which one copy is enough, where `folded` makes five.
  const text = isAscii(body) ? body.toString('latin1').toUpperCase() : folded(body.toString());
  if (text.includes(wanted)) return true;
  return body.includes('\\') && folded(unescaped(body.toString())).includes(wanted);
}

const isNamed = (item: DeliverySummary, wanted: string) =>
  [item.delivery_id, item.message_id, item.event_type, item.reason ?? ''].some((one) =>
    folded(one).includes(wanted),
  );
