import { type EventStore, retryWhenMoved } from '@junction/eventsourcing';
import {
  inRetriedTransaction,
  inTurn,
  type PostgresEventStore,
} from '@junction/eventsourcing/postgres';
import { type KeyRing, ShreddedError, type Vault } from '@junction/vault';
import type pg from 'pg';
import { emailTaken } from '../../application/account/email-taken.js';
import { commandsOn } from '../../application/handle-commands.js';
import { noticingStore } from '../../application/mail/queue-notices.js';
import { accountGone } from '../../application/me.js';
import type { Transaction, UnitOfWork } from '../../application/unit-of-work.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { accountTable, passwordTable } from './account/accounts.js';
import { mailedTokenTable } from './account/mailed-tokens.js';
import { apiKeyTable } from './api-key/api-keys.js';
import { clientSecretTable } from './client/clients.js';
import { receiptTable } from './deletion/deletion-receipts.js';
import { mailTable } from './mail/mail-queue.js';
import { portalTable } from './portal/portal-tokens.js';
import {
  factorTable,
  passkeyTable,
  recoveryCodeTable,
  totpTable,
} from './second-factor/factor-tables.js';
import { pendingLoginTable } from './second-factor/pending-logins.js';
import { refreshTokenTable } from './session/refresh-tokens.js';
import { sessionProofTable, sessionTable } from './session/sessions.js';
import { signingKeyTable } from './signing-key/signing-key-store.js';
import { troubleTable } from './trouble/troubles.js';
import { accountChangeTable } from './undo/undo.js';
import { isTakenEmail, isUserGone } from './violation.js';
import { knownWebhookTable } from './webhook/known-webhooks.js';

export interface UnitOfWorkOptions {
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore<AuthEvent>;
  readonly vault: Vault;
  readonly ring: KeyRing;
  /** Whether mails can be sent at all. */
  readonly isMailOpen: boolean;
  /** Called after a commit that has stored something of the kind. */
  readonly after: Readonly<Record<'events' | 'mail' | 'signingKey', () => void>>;
}

export function postgresUnitOfWork(options: UnitOfWorkOptions): UnitOfWork {
  const { pool, after } = options;
  const unitOfWork: UnitOfWork = {
    inTurn: async (key, work) => inTurn(key, async () => unitOfWork.inTransaction(work)),

    async inTransaction(work) {
      const stored = new Set<keyof typeof after>();
      const result = await retryWhenMoved(async () =>
        inRetriedTransaction(pool, async (client) => work(transactionOn(client, options, stored))),
      );
      for (const kind of stored) after[kind]();
      return result;
    },
  };
  return unitOfWork;
}

function transactionOn(
  tx: pg.PoolClient,
  options: UnitOfWorkOptions,
  stored: Set<keyof UnitOfWorkOptions['after']>,
): Transaction {
  const tables = tablesWithin(tx, options, (kind) => stored.add(kind));
  const events = storeWithin(options.store.within(tx), () => stored.add('events'));
  return { ...tables, ...commandsOn(noticingStore(events, tables)) };
}

/** The tables inside the caller's transaction, which decides what stays. */
export function tablesWithin(
  tx: pg.PoolClient,
  { vault, ring, isMailOpen }: Omit<UnitOfWorkOptions, 'pool' | 'store' | 'after'>,
  onStored: (kind: 'mail' | 'signingKey') => void,
) {
  return {
    accounts: accountTable(tx, vault),
    passwords: passwordTable(tx),
    mailedTokens: mailedTokenTable(tx),
    pendingLogins: pendingLoginTable(tx),
    factors: factorTable(tx),
    totp: totpTable(tx, ring),
    passkeys: passkeyTable(tx),
    recoveryCodes: recoveryCodeTable(tx),
    sessions: sessionTable(tx),
    sessionProofs: sessionProofTable(tx),
    refreshTokens: refreshTokenTable(tx, ring),
    apiKeys: apiKeyTable(tx),
    clientSecrets: clientSecretTable(tx),
    signingKeys: signingKeyTable(tx, { ring, onAdded: () => onStored('signingKey') }),
    mails: mailTable(tx, { ring, isOpen: isMailOpen, onAdded: () => onStored('mail') }),
    troubles: troubleTable(tx, ring),
    accountChanges: accountChangeTable(tx, ring),
    receipts: receiptTable(tx),
    portals: portalTable(tx),
    knownWebhooks: knownWebhookTable(tx),
  };
}

const storeWithin = (
  store: EventStore<AuthEvent>,
  onAppended: () => void,
): EventStore<AuthEvent> => ({
  ...store,
  async append(...appends) {
    try {
      const appended = await store.append(...appends);
      onAppended();
      return appended;
    } catch (error) {
      if (isTakenEmail(error)) throw emailTaken(error);
      // Gone before a personal field was sealed, or between that and the row of the event.
      throw error instanceof ShreddedError || isUserGone(error) ? accountGone(error) : error;
    }
  },
});
