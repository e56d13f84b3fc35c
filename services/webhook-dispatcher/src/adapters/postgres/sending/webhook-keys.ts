import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import { keyPair } from '@junction/webhook-signing';
import type pg from 'pg';
import type {
  WebhookKey,
  WebhookKeyStore,
  WebhookKeyTable,
} from '../../../application/sending/webhook-keys.js';
import { lock } from '../locks.js';
import { statement } from '../statement.js';

interface KeyRow {
  readonly kid: string;
  readonly public_key: string;
  readonly private_sealed: Buffer | null;
  readonly signs_from: Date;
  readonly signs_until: Date | null;
  readonly published_until: Date | null;
}

export const postgresWebhookKeys = (pool: pg.Pool, ring: KeyRing): WebhookKeyStore => ({
  async load() {
    const { rows } = await pool.query<KeyRow>(
      `select kid, public_key, private_sealed, signs_from, signs_until, published_until
         from webhook_keys`,
    );
    return rows.map((row) => toKey(row, ring));
  },

  async destroyEnded(now) {
    await destroyEnded(pool, { now });
  },
});

/** Makes the table of keys, within a transaction. */
export const webhookKeyTable = (tx: pg.ClientBase, ring: KeyRing): WebhookKeyTable => ({
  async takeTurn() {
    await lock(tx, 'rotation of webhook keys');
  },

  exist: async () => (await tx.query('select from webhook_keys limit 1')).rows.length > 0,

  async endAll({ signsUntil, publishedUntil }) {
    await endAll(tx, { signs_until: signsUntil, published_until: publishedUntil });
  },

  async insert({ kid, publicKey, signingKey, createdAt, signsFrom }) {
    const sealed = sealWithRing(ring, Buffer.from(signingKey), placeOf(kid));
    await insertKey(tx, {
      kid,
      public_key: publicKey,
      private_sealed: sealed,
      created_at: createdAt,
      signs_from: signsFrom,
    });
  },
});

const destroyEnded = statement(
  null,
  `update webhook_keys set private_sealed = null
    where private_sealed is not null and published_until <= :now`,
);

const endAll = statement(
  null,
  `update webhook_keys set signs_until = least(signs_until, :signs_until),
                           published_until = least(published_until, :published_until)`,
);

const insertKey = statement(
  null,
  `insert into webhook_keys (kid, public_key, private_sealed, created_at, signs_from)
   values (:kid, :public_key, :private_sealed, :created_at, :signs_from)`,
);

function toKey(row: KeyRow, ring: KeyRing): WebhookKey {
  const { kid, private_sealed: sealed } = row;
  const opened = sealed && openWithRing(ring, sealed, placeOf(kid)).toString();
  return {
    kid,
    publicKey: row.public_key,
    privateKey: opened === null ? undefined : keyPair(opened).privateKey,
    signsFrom: row.signs_from,
    signsUntil: row.signs_until ?? undefined,
    publishedUntil: row.published_until ?? undefined,
  };
}

const placeOf = (kid: string): string => `webhook_keys/private_sealed/${kid}`;

export const webhookKeyColumn: RingColumn = {
  table: 'webhook_keys',
  column: 'private_sealed',
  key: 'kid',
  keyType: 'text',
  place: placeOf,
};
