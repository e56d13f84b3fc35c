import { retry } from '@junction/async';
import { AppError, isOutage } from '@junction/errors';
import {
  inRetriedTransaction,
  inTurn,
  type PostgresEventStore,
  statement,
} from '@junction/eventsourcing/postgres';
import { deleteDeadLetters } from '@junction/messaging';
import { type KeyRing, ShreddedError, type Vault } from '@junction/vault';
import type pg from 'pg';
import { connectionHandler, connectionsHandler } from '../../application/handle-command.js';
import type { Transaction, UnitOfWork } from '../../application/unit-of-work.js';
import type { ConnectionEvent } from '../../domain/connection/events.js';
import { authorizationTable } from './connecting/authorizations.js';
import { usedCodeTable } from './connecting/used-codes.js';
import { connectionTable } from './connections/connections.js';
import { checkTable } from './ending/checks.js';
import { revocationTable } from './ending/revocations.js';
import { securityEventTable } from './ending/security-events.js';
import { credentialTable } from './refreshing/credentials.js';
import { refreshTable } from './refreshing/refreshes.js';

const PAUSE_MS = 100;
const PAUSE_MAX_MS = 1_000;

export interface TransactionOptions {
  readonly store: PostgresEventStore<ConnectionEvent>;
  readonly vault: Vault;
  readonly ring: KeyRing;
}

export interface UnitOfWorkOptions extends TransactionOptions {
  readonly pool: pg.Pool;
  readonly monotonicMs: () => number;
  /** The moment to wake the relay and whatever waits for what was written. */
  readonly afterCommit: () => void;
}

export function postgresUnitOfWork(options: UnitOfWorkOptions): UnitOfWork {
  const { pool, afterCommit } = options;
  const commit = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    inRetriedTransaction(pool, async (client) => work(transactionOn(client, options)));
  return {
    async inUserTurn(userId, work, { retryForMs = 0 } = {}) {
      const attempt = async () =>
        commit(async (tx) => {
          await tx.takeTurn(userId);
          return work(tx);
        });
      // Tokens that are to be saved through an outage are never refused because a line is full.
      const result =
        retryForMs > 0
          ? await throughOutage(options, retryForMs, attempt)
          : await inTurn(userId, attempt);
      afterCommit();
      return result;
    },

    async inTransaction(work) {
      const result = await commit(work);
      afterCommit();
      return result;
    },
  };
}

/** Returns a transaction for work within another part's transaction, that of a batch of records for instance. */
export function transactionOn(tx: pg.PoolClient, { store, vault, ring }: TransactionOptions) {
  const within = store.within(tx);
  const handle = connectionHandler(within);
  const handleAll = connectionsHandler(within);
  return {
    /**
     * Waits for the user's turn, which lasts until the transaction ends. Take it before anything else is locked, and
     * several turns in order of their users' ids, so that transactions never wait in a circle.
     */
    async takeTurn(userId: string) {
      await takeTurn(tx, { user_id: userId });
    },

    /** Takes the turns of those of these users whose turn is free, without waiting. Returns these users. */
    async takeFreeTurns(userIds: readonly string[]) {
      const { rows } = await takeFreeTurns(tx, { user_ids: userIds });
      return new Set(rows.map((row) => row.user_id));
    },

    /**
     * Handles a command: the only road from a command to an event. AppError of the decider; `unauthenticated` when the
     * user was deleted meanwhile.
     */
    handle: async (...command: Parameters<typeof handle>) =>
      handle(...command).catch(refuseDeleted),
    /** Handles commands of several connections: the events of all are appended together, or none. */
    handleAll: async (...commands: Parameters<typeof handleAll>) =>
      handleAll(...commands).catch(refuseDeleted),

    authorizations: authorizationTable(tx, ring),
    usedCodes: usedCodeTable(tx, ring),
    connections: connectionTable(tx),
    credentials: credentialTable(tx, vault),
    refreshes: refreshTable(tx),
    revocations: revocationTable(tx, ring),
    checks: checkTable(tx),
    securityEvents: securityEventTable(tx),
    users: {
      /** Deletes a user's pending authorizations, also one whose code is being exchanged. */
      async deleteAuthorizations(userId: string) {
        await deleteAuthorizations(tx, { user_id: userId });
      },
      /**
       * Deletes a user's pending authorizations and dead letters, the user's data in queued revocations, and the key
       * that seals personal fields of events.
       */
      async delete(userId: string) {
        await deleteAuthorizations(tx, { user_id: userId });
        await forgetOwner(tx, { user_id: userId });
        await deleteDeadLetters(tx, userId);
        await vault.shred(userId, tx);
      },
    },
  };
}

const takeTurn = statement('select pg_advisory_xact_lock(hashtextextended(:user_id, 0))');

const takeFreeTurns = statement<{ readonly user_id: string }>(`
select user_id from unnest(:user_ids::text[]) as user_id
 where pg_try_advisory_xact_lock(hashtextextended(user_id, 0))`);

const deleteAuthorizations = statement(
  'delete from pending_authorizations where user_id = :user_id',
);

const forgetOwner = statement(
  'update provider_revocations set user_id = null where user_id = :user_id',
);

/** Repeats work while the database is away. */
const throughOutage = async <T>(
  { monotonicMs }: UnitOfWorkOptions,
  withinMs: number,
  work: () => Promise<T>,
): Promise<T> =>
  retry(work, {
    isRetryable: isOutage,
    withinMs,
    delayMs: (failures) => Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (failures - 1)),
    clock: monotonicMs,
  });

function refuseDeleted(error: unknown): never {
  if (!(error instanceof ShreddedError)) throw error;
  throw new AppError('unauthenticated', 'This account no longer exists.', { cause: error });
}
