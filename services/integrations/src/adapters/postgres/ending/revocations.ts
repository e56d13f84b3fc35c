import { randomUUID } from 'node:crypto';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import { z } from 'zod';
import type {
  QueuedRevocation,
  RevocableToken,
  RevocationQueue,
} from '../../../application/ports.js';
import type { RevocationTable } from '../../../application/unit-of-work.js';
import { type ClientName, clientName } from '../../../domain/connection/events.js';

const CLAIM_MAX = 20;
const CLAIM = `interval '1 minute'`;
const SECOND_MS = 1_000;

const token = z.object({ token: z.string(), hint: z.enum(['refresh_token', 'access_token']) });
const account = z.object({ accountId: z.string().optional() });

interface QueueRow {
  readonly revocation_id: string;
  readonly sealed: Buffer;
  readonly connection_id: string | null;
  readonly client: ClientName;
  readonly attempts: number;
  readonly created_at: Date;
}

/** Stores tokens to be revoked, sealed with the key ring: their data key is destroyed by then. */
export const postgresRevocations = (pool: pg.Pool, ring: KeyRing): RevocationQueue => ({
  async add({ userId, accountId, ...client }, token) {
    const id = randomUUID();
    const { identityProvider, provider } = client;
    await pool.query(
      `insert into provider_revocations (revocation_id, connection_id, user_id, client, sealed)
       values ($1,
               (select connection_id from connections
                 where user_id = $2 and identity_provider = $3 and provider = $4
                   and account_id = $5),
               $2, $6, $7)`,
      [
        id,
        userId,
        identityProvider,
        provider,
        accountId,
        clientName(client),
        sealed(ring, id, { ...token, accountId }),
      ],
    );
  },

  async claim() {
    const { rows } = await pool.query<QueueRow>(
      `update provider_revocations set attempts = attempts + 1, next_at = now() + ${CLAIM}
        where revocation_id in (
                select revocation_id from provider_revocations
                 where next_at <= now() order by next_at limit ${CLAIM_MAX}
                   for update skip locked)
       returning revocation_id, connection_id, client, sealed, attempts, created_at`,
    );
    return rows.map((row) => queued(ring, row));
  },

  async postpone(revocationId, backoffMs) {
    await pool.query(
      `update provider_revocations set next_at = now() + make_interval(secs => $2)
        where revocation_id = $1`,
      [revocationId, backoffMs / SECOND_MS],
    );
  },

  delete: async (revocationId) => void (await deleteRevocation(pool, revocationId)),
});

export const revocationTable = (tx: pg.ClientBase, ring: KeyRing): RevocationTable => ({
  async add(connectionId, token) {
    const id = randomUUID();
    const { rows } = await tx.query<{ readonly account_id: string }>(
      'select account_id from connections where connection_id = $1',
      [connectionId],
    );
    const accountId = rows[0]?.account_id;
    await tx.query(
      `insert into provider_revocations (revocation_id, connection_id, user_id, client, sealed)
       select $1, connection_id, user_id, identity_provider || '/' || provider, $3
         from connections where connection_id = $2`,
      [id, connectionId, sealed(ring, id, { ...token, accountId })],
    );
  },

  delete: async (revocationId) => deleteRevocation(tx, revocationId),

  async isPending(connectionId) {
    const { rowCount } = await tx.query(
      'select from provider_revocations where connection_id = $1 limit 1',
      [connectionId],
    );
    return rowCount === 1;
  },
});

async function deleteRevocation(
  db: Pick<pg.ClientBase, 'query'>,
  revocationId: string,
): Promise<boolean> {
  const { rowCount } = await db.query('delete from provider_revocations where revocation_id = $1', [
    revocationId,
  ]);
  return rowCount === 1;
}

/** Seals the token and its account, which is personal and outlives the row of the connection. */
const sealed = (
  ring: KeyRing,
  id: string,
  { token, hint, accountId }: RevocableToken & { readonly accountId?: string | undefined },
): Buffer => sealWithRing(ring, Buffer.from(JSON.stringify({ token, hint, accountId })), place(id));

const opened = (ring: KeyRing, { revocation_id: id, sealed }: QueueRow): unknown =>
  JSON.parse(openWithRing(ring, sealed, place(id)).toString());

const queued = (ring: KeyRing, row: QueueRow): QueuedRevocation => ({
  token: () => token.parse(opened(ring, row)),
  accountId: () => account.parse(opened(ring, row)).accountId,
  revocationId: row.revocation_id,
  connectionId: row.connection_id,
  client: row.client,
  attempts: row.attempts,
  queuedAt: row.created_at,
});

const place = (id: string): string => `provider_revocations/${id}`;

export const revocationColumn: RingColumn = {
  table: 'provider_revocations',
  column: 'sealed',
  key: 'revocation_id',
  keyType: 'uuid',
  place,
};
