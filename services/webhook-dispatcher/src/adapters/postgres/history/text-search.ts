import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import type { DeliverySummary } from '../../../application/history/ports.js';
import type { OpenSealed } from '../sealed-rows.js';
import { bodiesAt } from './delivery-bodies.js';
import type { DeliveryKey } from './delivery-rows.js';
import { folded, unescaped } from './folded-text.js';

/** Most bodies in memory at a time: each may have 256 kB. */
const OPENED_MAX = 50;

/** Returns those of the deliveries in `items`, stored at these keys, that contain a text, in the order of `items`. */
export type Containing = (
  keys: readonly DeliveryKey[],
  items: readonly DeliverySummary[],
  text: string,
) => Promise<readonly DeliverySummary[]>;

/**
 * Looks in ids, kind and reason, and in the body, as it was sent and as its reader sees it. Bodies are sealed: no index
 * could know what is in them, so they are opened one after the other.
 */
export const containing =
  (db: pg.Pool, openSealed: OpenSealed): Containing =>
  async (keys, items, text) => {
    const wanted = folded(text);
    const keyOf = new Map(keys.map((key) => [key.delivery_id, key]));
    const found: DeliverySummary[] = [];
    for (let n = 0; n < items.length; n += OPENED_MAX) {
      const some = items.slice(n, n + OPENED_MAX);
      const rest = some.filter((item) => !isNamed(item, wanted));
      const sealed = rest.flatMap(({ deliveryId }) => keyOf.get(deliveryId) ?? []);
      const holding = await idsHolding(await bodiesAt(db, openSealed, sealed), wanted);
      found.push(...some.filter((item) => !rest.includes(item) || holding.has(item.deliveryId)));
    }
    return found;
  };

async function idsHolding(
  bodies: ReadonlyMap<string, Buffer>,
  wanted: string,
): Promise<ReadonlySet<string>> {
  const holding = new Set<string>();
  for (const [deliveryId, body] of bodies) {
    if (holds(body.toString(), wanted)) holding.add(deliveryId);
    // A large body takes some milliseconds: others get their turn between two of them.
    await setImmediate();
  }
  return holding;
}

function holds(body: string, wanted: string): boolean {
  if (folded(body).includes(wanted)) return true;
  return body.includes('\\') && folded(unescaped(body)).includes(wanted);
}

const isNamed = ({ deliveryId, messageId, kind, reason }: DeliverySummary, wanted: string) =>
  [deliveryId, messageId, kind, reason ?? ''].some((one) => folded(one).includes(wanted));
