import { poolUntil } from '@junction/service';
import type pg from 'pg';
import { postgresAccounts } from './account/accounts.js';
import { postgresApiKeys } from './api-key/api-keys.js';
import { postgresClients } from './client/clients.js';
import { postgresDeletionReceipts } from './deletion/deletion-receipts.js';
import { postgresIssuerAnswers } from './issuer/issuer-answers.js';
import { postgresMailQueue } from './mail/mail-queue.js';
import { postgresPortalTokens } from './portal/portal-tokens.js';
import { postgresFactors } from './second-factor/factors.js';
import { postgresSessions } from './session/sessions.js';
import { postgresSigningKeys } from './signing-key/signing-key-store.js';
import { postgresTroubles } from './trouble/troubles.js';
import { postgresAccountChanges } from './undo/undo.js';
import { postgresUnitOfWork, type UnitOfWorkOptions } from './unit-of-work.js';

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
