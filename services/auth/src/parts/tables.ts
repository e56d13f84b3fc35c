import { poolUntil } from '@junction/service';
import type pg from 'pg';
import { postgresAccounts } from '../adapters/postgres/account/accounts.js';
import { postgresApiKeys } from '../adapters/postgres/api-key/api-keys.js';
import { postgresClients } from '../adapters/postgres/client/clients.js';
import { postgresDeletionReceipts } from '../adapters/postgres/deletion/deletion-receipts.js';
import { postgresIssuerAnswers } from '../adapters/postgres/issuer/issuer-answers.js';
import { postgresMailQueue } from '../adapters/postgres/mail/mail-queue.js';
import { postgresPortalTokens } from '../adapters/postgres/portal/portal-tokens.js';
import { postgresFactors } from '../adapters/postgres/second-factor/factors.js';
import { postgresSessions } from '../adapters/postgres/session/sessions.js';
import { postgresSigningKeys } from '../adapters/postgres/signing-key/signing-key-store.js';
import { postgresTroubles } from '../adapters/postgres/trouble/troubles.js';
import { postgresAccountChanges } from '../adapters/postgres/undo/undo.js';
import { postgresUnitOfWork, type UnitOfWorkOptions } from '../adapters/postgres/unit-of-work.js';

/** Ports that lie in the database: the unit of work, and what reads or writes by a single statement. */
export const tablesOn = (options: UnitOfWorkOptions) => {
  const { pool, store, ring, isMailOpen } = options;
  const readsOn = (pool: pg.Pool) => ({
    accounts: postgresAccounts(pool, store, ring),
    factors: postgresFactors({ pool, ring }),
  });
  return {
    ...readsOn(pool),
    sessions: postgresSessions(pool),
    apiKeys: postgresApiKeys(pool),
    readsUntil: (signal: AbortSignal) => readsOn(poolUntil(pool, signal)),
    unitOfWork: postgresUnitOfWork(options),
    deletionReceipts: postgresDeletionReceipts(pool),
    mailQueue: postgresMailQueue({ pool, ring, isOpen: isMailOpen }),
    troubles: postgresTroubles(pool, ring),
    accountChanges: postgresAccountChanges(pool),
    clients: postgresClients(pool),
    signingKeyStore: postgresSigningKeys(pool),
    portalTokens: postgresPortalTokens(pool),
    issuerAnswers: postgresIssuerAnswers(pool),
  };
};
