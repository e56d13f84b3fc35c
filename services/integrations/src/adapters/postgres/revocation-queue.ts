import { randomUUID } from 'node:crypto';
import { type KeyRing, openWithRing, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import { z } from 'zod';
import type { QueuedRevocation, RevocableToken, Revocations } from '../../application/needs.js';

const CLAIM_MAX = 20;
const CLAIM = `interval '1 minute'`;
const SECOND_MS = 1_000;

const stored = z.object({ token: z.string(), hint: z.enum(['refresh_token', 'access_token']) });

export interface RevocationQueue extends Revocations {
  /** In the transaction that takes the token out of use. */
  enqueue(tx: pg.ClientBase, connectionId: string, token: RevocableToken): Promise<void>;
}

interface QueueRow {
  readonly revocation_id: string;
  readonly connection_id: string | null;
  readonly provider: string;
  readonly sealed: Buffer;
  readonly attempts: number;
  readonly created_at: Date;
}

/** Tokens on their way out, sealed with the key ring: the data key they had is destroyed by then. */
export function revocationQueue(pool: pg.Pool, ring: KeyRing): RevocationQueue {
  return {
    async enqueue(tx, connectionId, token) {
      const id = randomUUID();
      await tx.query(
        `insert into provider_revocations (revocation_id, connection_id, provider, sealed)
         select $1, connection_id, provider, $3 from connections where connection_id = $2`,
        [id, connectionId, sealed(ring, id, token)],
      );
    },

    async add(provider, token) {
      const id = randomUUID();
      await pool.query(
        'insert into provider_revocations (revocation_id, provider, sealed) values ($1, $2, $3)',
        [id, provider, sealed(ring, id, token)],
      );
    },

    async claim() {
      const { rows } = await pool.query<QueueRow>(
        `update provider_revocations set attempts = attempts + 1, next_at = now() + ${CLAIM}
          where revocation_id in (
                  select revocation_id from provider_revocations
                   where next_at <= now() order by next_at limit ${CLAIM_MAX}
                     for update skip locked)
         returning revocation_id, connection_id, provider, sealed, attempts, created_at`,
      );
      return rows.map((row) => queued(ring, row));
    },

    async done(revocationId) {
      await pool.query('delete from provider_revocations where revocation_id = $1', [revocationId]);
    },

    async postpone(revocationId, restMs) {
      await pool.query(
        `update provider_revocations set next_at = now() + make_interval(secs => $2)
          where revocation_id = $1`,
        [revocationId, restMs / SECOND_MS],
      );
    },
  };
}

const sealed = (ring: KeyRing, id: string, { token, hint }: RevocableToken): Buffer =>
  sealWithRing(ring, Buffer.from(JSON.stringify({ token, hint })), place(id));

const queued = (ring: KeyRing, row: QueueRow): QueuedRevocation => ({
  token() {
    const bytes = openWithRing(ring, row.sealed, place(row.revocation_id));
    return stored.parse(JSON.parse(bytes.toString()));
  },
  revocationId: row.revocation_id,
  connectionId: row.connection_id,
  provider: row.provider,
  attempts: row.attempts,
  queuedAt: row.created_at,
});

const place = (id: string): string => `provider_revocations/${id}`;
