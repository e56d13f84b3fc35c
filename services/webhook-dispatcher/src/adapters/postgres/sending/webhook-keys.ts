import type { Queryable } from '@junction/eventsourcing/postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import { keyPair } from '@junction/webhook-signing';
import type { NewWebhookKey, WebhookKey } from '../../../application/sending/webhook-keys.js';
import type { Rotation } from '../../../domain/webhook-key/rotation.js';
import { lock } from '../locks.js';
import { all, some } from '../statement.js';

interface KeyRow {
  readonly kid: string;
  readonly publicKey: string;
  readonly sealed: Buffer | null;
  readonly signsFrom: Date;
  readonly signsUntil: Date | null;
  readonly publishedUntil: Date | null;
}

export const postgresWebhookKeys = (pool: Queryable, ring: KeyRing) => ({
  /** Returns all keys that ever were. */
  load: async () => (await readKeys(pool)).map((row) => toKey(row, ring)),
  /** Destroys the private halves of keys that are no longer published. */
  destroyEnded: async (now: Date) => void (await destroyEnded(pool, { now })),
});

/** Keys, within a transaction. */
export const webhookKeyTable = (tx: Queryable, ring: KeyRing) => ({
  /** Waits for other transactions that add a key. */
  takeTurn: async () => lock(tx, 'rotation of webhook keys'),
  /** Returns whether there is any key. */
  exist: async () => anyKey(tx),
  /** Ends all keys. A key that leaked may end sooner than its rotation said, never later. */
  endAll: async ({ signsUntil, publishedUntil }: Rotation) =>
    endAll(tx, { signsUntil, publishedUntil }),

  async insert({ signingKey, ...key }: NewWebhookKey) {
    const sealed = sealWithRing(ring, Buffer.from(signingKey), placeOf(key.kid));
    await insertKey(tx, { ...key, sealed });
  },
});

const readKeys = all<object, KeyRow>(
  null,
  `select kid, public_key as "publicKey", private_sealed as sealed, signs_from as "signsFrom",
          signs_until as "signsUntil", published_until as "publishedUntil" from webhook_keys`,
);

const anyKey = some<object>(null, 'select from webhook_keys limit 1');

const destroyEnded = some<{ now: Date }>(
  null,
  `update webhook_keys set private_sealed = null
    where private_sealed is not null and published_until <= :now`,
);

const endAll = some<Pick<Rotation, 'signsUntil' | 'publishedUntil'>>(
  null,
  `update webhook_keys set signs_until = least(signs_until, :signsUntil),
                           published_until = least(published_until, :publishedUntil)`,
);

const insertKey = some<Omit<NewWebhookKey, 'signingKey'> & { sealed: Buffer }>(
  null,
  `insert into webhook_keys (kid, public_key, private_sealed, created_at, signs_from)
   values (:kid, :publicKey, :sealed, :createdAt, :signsFrom)`,
);

const toKey = ({ sealed, ...row }: KeyRow, ring: KeyRing): WebhookKey => ({
  ...row,
  privateKey:
    sealed === null
      ? undefined
      : keyPair(openWithRing(ring, sealed, placeOf(row.kid)).toString()).privateKey,
  signsUntil: row.signsUntil ?? undefined,
  publishedUntil: row.publishedUntil ?? undefined,
});

const placeOf = (kid: string): string => `webhook_keys/private_sealed/${kid}`;

export const webhookKeyColumn: RingColumn = {
  table: 'webhook_keys',
  column: 'private_sealed',
  key: 'kid',
  keyType: 'text',
  place: placeOf,
};
