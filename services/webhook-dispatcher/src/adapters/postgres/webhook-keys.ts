import { inTransaction } from '@junction/eventsourcing-postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import { keyPair } from '@junction/webhook-signing';
import type pg from 'pg';
import type { WebhookKey, WebhookKeyStore } from '../../application/webhook-keys.js';

// Any number will do, as long as every replica asks for the same one.
const ROTATING = 6_021_023_002;

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

  add: async ({ kid, publicKey, signingKey }, rotation, { at, onlyFirst }) =>
    inTransaction(pool, async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [ROTATING]);
      const { signsFrom, signsUntil, publishedUntil } = rotation;
      if (onlyFirst && (await tx.query('select from webhook_keys limit 1')).rows.length > 0) return;
      // A key that leaked may end sooner than its rotation said, never later.
      await tx.query(
        `update webhook_keys
            set signs_until = least(signs_until, $1), published_until = least(published_until, $2)`,
        [signsUntil, publishedUntil],
      );
      await tx.query(
        `insert into webhook_keys (kid, public_key, private_sealed, created_at, signs_from)
         values ($1, $2, $3, $4, $5)`,
        [kid, publicKey, sealWithRing(ring, Buffer.from(signingKey), placeOf(kid)), at, signsFrom],
      );
    }),

  async destroyEnded(now) {
    await pool.query(
      `update webhook_keys set private_sealed = null
        where private_sealed is not null and published_until <= $1`,
      [now],
    );
  },
});

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
