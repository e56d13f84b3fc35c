import { randomUUID } from 'node:crypto';
import {
  type KeyRing,
  openWithRing,
  type RingColumn,
  sealWithRing,
  VaultError,
} from '@junction/vault';
import type pg from 'pg';
import { z } from 'zod';
import type {
  Log,
  QueuedRevocation,
  RevocableToken,
  Revocations,
} from '../../application/needs.js';
import { REVOCATION_OUTCOMES, type RevocationOutcome } from '../../domain/connection/events.js';
import type { ConnectionRow } from '../../projections/connection-row.js';
import { act, byItself, type ConnectionStore } from './connection-store.js';
import { inUserTransaction } from './user-transaction.js';

const CLAIM_MAX = 20;
/** Of one connection; in practice there are one or two. */
const FORGIVEN_MAX = 100;
const CLAIM = `interval '1 minute'`;
const SECOND_MS = 1_000;

const token = z.object({ token: z.string(), hint: z.enum(['refresh_token', 'access_token']) });
const account = z.object({ accountId: z.string().optional() });

interface QueuedFor {
  readonly connectionId: string;
  readonly accountId: string;
}

export interface RevocationQueue extends Revocations {
  /** In the transaction that takes the token out of use. */
  enqueue(tx: pg.ClientBase, of: QueuedFor, token: RevocableToken): Promise<void>;
  /**
   * Takes back what was queued of this connection for this account, or for one we do not know: also what
   * does not open.
   */
  forgive(tx: pg.ClientBase, connectionId: string, accountId: string): Promise<void>;
}

export interface RevocationQueueOptions {
  readonly pool: pg.Pool;
  readonly ring: KeyRing;
  readonly store: ConnectionStore;
  readonly log: Pick<Log, 'error'>;
}

interface SealedRow {
  readonly revocation_id: string;
  readonly sealed: Buffer;
}

interface QueueRow extends SealedRow {
  readonly connection_id: string | null;
  readonly provider: string;
  readonly attempts: number;
  readonly created_at: Date;
}

/** Tokens on their way out, sealed with the key ring: the data key they had is destroyed by then. */
export function revocationQueue(options: RevocationQueueOptions): RevocationQueue {
  const { pool, ring } = options;
  return {
    async enqueue(tx, { connectionId, accountId }, token) {
      const id = randomUUID();
      await tx.query(
        `insert into provider_revocations (revocation_id, connection_id, provider, sealed)
         select $1, connection_id, provider, $3 from connections where connection_id = $2`,
        [id, connectionId, sealed(ring, id, { ...token, accountId })],
      );
    },

    async add({ userId, provider, accountId }, token) {
      const id = randomUUID();
      await pool.query(
        `insert into provider_revocations (revocation_id, connection_id, provider, sealed)
         values ($1, (select connection_id from connections where user_id = $2 and provider = $3),
                 $3, $4)`,
        [id, userId, provider, sealed(ring, id, { ...token, accountId })],
      );
    },

    forgive: (tx, connectionId, accountId) => forgive(tx, options, connectionId, accountId),

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

    settle: async (queued, outcome, at) => settle(options, queued, { outcome, at }),

    async postpone(revocationId, restMs) {
      await pool.query(
        `update provider_revocations set next_at = now() + make_interval(secs => $2)
          where revocation_id = $1`,
        [revocationId, restMs / SECOND_MS],
      );
    },
  };
}

interface Settlement {
  readonly outcome: RevocationOutcome;
  readonly at: Date;
}

async function settle(
  { pool, store }: RevocationQueueOptions,
  { revocationId, connectionId }: QueuedRevocation,
  { outcome, at }: Settlement,
): Promise<void> {
  const drop = 'delete from provider_revocations where revocation_id = $1';
  const { rows: owners } = await pool.query<{ user_id: string }>(
    'select user_id from connections where connection_id = $1',
    [connectionId],
  );
  const [owner] = owners;
  // Of a connection that never came to be, or went with its user.
  if (connectionId === null || owner === undefined) {
    await pool.query(drop, [revocationId]);
    return;
  }
  await inUserTransaction(pool, owner.user_id, async (tx) => {
    const { rowCount } = await tx.query(drop, [revocationId]);
    // Forgiven meanwhile.
    if (rowCount === 0) return;
    const { rows } = await tx.query<Standing>(
      `select provider_revocation as known,
              exists (select from provider_revocations where connection_id = $1) as more
         from connections where connection_id = $1`,
      [connectionId],
    );
    if (!isNews(outcome, rows[0])) return;
    const command = { type: 'SettleRevocation', data: { outcome, at: at.toISOString() } } as const;
    await act(store, tx, { connectionId, command, actor: byItself });
  });
}

interface Standing {
  readonly known: ConnectionRow['provider_revocation'];
  /** Tokens of this connection wait. */
  readonly more: boolean;
}

/** Of several tokens the worst outcome counts, from when it is known; that all went well, only the last can tell. */
function isNews(outcome: RevocationOutcome, standing: Standing | undefined): boolean {
  if (standing === undefined || (outcome === 'done' && standing.more)) return false;
  const order: readonly unknown[] = REVOCATION_OUTCOMES;
  return order.indexOf(outcome) > order.indexOf(standing.known);
}

async function forgive(
  tx: pg.ClientBase,
  { ring, log }: RevocationQueueOptions,
  connectionId: string,
  accountId: string,
): Promise<void> {
  const { rows } = await tx.query<SealedRow>(
    `select revocation_id, sealed from provider_revocations
      where connection_id = $1 order by created_at desc limit ${FORGIVEN_MAX}`,
    [connectionId],
  );
  const forgiven = rows.filter((row) => {
    const of = accountOf(ring, row);
    if (of instanceof VaultError) {
      log.error({ err: of, connection_id: connectionId }, 'a queued revocation does not open');
      return true;
    }
    return of === undefined || of === accountId;
  });
  await tx.query('delete from provider_revocations where revocation_id = any ($1)', [
    forgiven.map(({ revocation_id: id }) => id),
  ]);
}

function accountOf(ring: KeyRing, row: SealedRow): string | undefined | VaultError {
  try {
    return account.parse(opened(ring, row)).accountId;
  } catch (error) {
    if (error instanceof VaultError) return error;
    throw error;
  }
}

/** The account with it, sealed as well: it is personal, and outlives the row of the connection. */
const sealed = (
  ring: KeyRing,
  id: string,
  { token, hint, accountId }: RevocableToken & { readonly accountId: string | undefined },
): Buffer => sealWithRing(ring, Buffer.from(JSON.stringify({ token, hint, accountId })), place(id));

const opened = (ring: KeyRing, { revocation_id: id, sealed }: SealedRow): unknown =>
  JSON.parse(openWithRing(ring, sealed, place(id)).toString());

const queued = (ring: KeyRing, row: QueueRow): QueuedRevocation => ({
  token: () => token.parse(opened(ring, row)),
  revocationId: row.revocation_id,
  connectionId: row.connection_id,
  provider: row.provider,
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
