import { type EventStore, retryWhenMoved } from '@junction/eventsourcing';
import {
  inRetriedTransaction,
  inTurn,
  type PostgresEventStore,
} from '@junction/eventsourcing-postgres';
import { type KeyRing, ShreddedError } from '@junction/vault';
import type pg from 'pg';
import { accountGone } from '../../application/account/me.js';
import { commandsOn } from '../../application/handle-commands.js';
import { noticingStore } from '../../application/mail/queue-notices.js';
import type { Tables, Transaction, UnitOfWork } from '../../application/unit-of-work.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { accountChangeTable } from './account-notices.js';
import { accountTable } from './accounts.js';
import { apiKeyTable } from './api-keys.js';
import { clientSecretTable } from './clients.js';
import { mailTable } from './mail-queue.js';
import { refreshTokenTable } from './refresh-tokens.js';
import { sessionTable } from './sessions.js';
import { signingKeyTable } from './signing-key-store.js';
import { isUserGone } from './violation.js';

export interface UnitOfWorkOptions {
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore<AuthEvent>;
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
  { store, ring, isMailOpen }: UnitOfWorkOptions,
  stored: Set<keyof UnitOfWorkOptions['after']>,
): Transaction {
  const tables: Tables = {
    accounts: accountTable(tx),
    sessions: sessionTable(tx),
    refreshTokens: refreshTokenTable(tx, ring),
    apiKeys: apiKeyTable(tx),
    clientSecrets: clientSecretTable(tx),
    signingKeys: signingKeyTable(tx, { ring, onAdded: () => stored.add('signingKey') }),
    mails: mailTable(tx, { ring, isOpen: isMailOpen, onAdded: () => stored.add('mail') }),
    accountChanges: accountChangeTable(tx, ring),
  };
  const events = storeWithin(store.within(tx), () => stored.add('events'));
  return { ...tables, ...commandsOn(noticingStore(events, tables)) };
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
      // Gone before a personal field was sealed, or between that and the row of the event.
      throw error instanceof ShreddedError || isUserGone(error) ? accountGone(error) : error;
    }
  },
});
