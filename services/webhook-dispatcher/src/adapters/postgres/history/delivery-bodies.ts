import type pg from 'pg';
import type { OpenSealed } from '../sealed-rows.js';
import { statement } from '../statement.js';
import { bodyIn, bodyPlace } from '../stored-answer.js';
import type { DeliveryKey } from './delivery-rows.js';

/**
 * Returns the bodies of these deliveries by their ids. Deliveries that are gone, redacted or of another user are left
 * out, and so are bodies that do not open.
 */
export async function bodiesAt(
  db: pg.Pool,
  openSealed: OpenSealed,
  keys: readonly DeliveryKey[],
  userId?: string,
): Promise<ReadonlyMap<string, Buffer>> {
  if (keys.length === 0) return new Map();
  const { rows } = await readBodies(db, {
    days: keys.map(({ day }) => day),
    delivery_ids: keys.map(({ delivery_id }) => delivery_id),
    all_days: [...new Set(keys.map(({ day }) => day))],
    user_id: userId ?? null,
  });
  const opened = await openSealed(
    rows.map(({ user_id, delivery_id: id, body: bytes, key_id: keyId }) => ({
      userId: user_id,
      bytes,
      keyId,
      place: bodyPlace(id),
    })),
  );
  return new Map(
    rows.flatMap(({ delivery_id: id, body_bytes: bodyBytes }, index) => {
      const stored = opened[index];
      return stored === undefined ? [] : [[id, bodyIn(stored, bodyBytes)] as const];
    }),
  );
}

interface BodyRow extends DeliveryKey {
  readonly user_id: string;
  readonly body: Buffer;
  /** Present: an answer is behind the body. */
  readonly body_bytes: number | null;
  readonly key_id: string | null;
}

// Bodies are looked up one by one, by key, for the reason in delivery-rows.ts.
const readBodies = statement<BodyRow>(
  'delivery_bodies',
  `select d.*
     from unnest(:days::date[], :delivery_ids::uuid[]) k (day, delivery_id)
    cross join lateral (
      select day::text, delivery_id, user_id, body, body_bytes, key_id from deliveries d
       where d.day = k.day and d.delivery_id = k.delivery_id and d.day = any (:all_days::date[])
         and (:user_id::uuid is null or d.user_id = :user_id) and d.redacted_at is null
       limit 1) d`,
  { delivery_ids: 'dlv', delivery_id: 'dlv' },
);

/** Returns how many bytes are stored of the body of each of these deliveries. */
export async function bodySizes(
  db: pg.Pool,
  keys: readonly DeliveryKey[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await readSizes(db, {
    days: keys.map(({ day }) => day),
    delivery_ids: keys.map(({ delivery_id }) => delivery_id),
    all_days: [...new Set(keys.map(({ day }) => day))],
  });
  return new Map(rows.map(({ delivery_id, bytes }) => [delivery_id, bytes]));
}

// The length of a value that is stored apart is read without the value.
const readSizes = statement<{ readonly delivery_id: string; readonly bytes: number }>(
  'delivery_body_sizes',
  `select d.delivery_id, d.bytes
     from unnest(:days::date[], :delivery_ids::uuid[]) k (day, delivery_id)
    cross join lateral (
      select delivery_id, octet_length(body) as bytes from deliveries d
       where d.day = k.day and d.delivery_id = k.delivery_id and d.day = any (:all_days::date[])
       limit 1) d`,
  { delivery_ids: 'dlv', delivery_id: 'dlv' },
);
