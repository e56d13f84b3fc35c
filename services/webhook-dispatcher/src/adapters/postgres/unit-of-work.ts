import {
  inRetriedTransaction,
  insertOutbox,
  type PostgresEventStore,
} from '@junction/eventsourcing/postgres';
import type { KeyRing, Vault } from '@junction/vault';
import type pg from 'pg';
import type { Result } from '../../application/job.js';
import type { WebhookNotice, WebhookRecord } from '../../application/unit-of-work.js';
import type { WebhookEvent } from '../../domain/webhook/events.js';
import { noticeOf, recordOf } from '../kafka/publication.js';
import { circuitTable } from './circuits.js';
import { intakeRows } from './intake/intake-rows.js';
import { payloadTable } from './privacy/payload-table.js';
import { redactionTable } from './privacy/redaction-table.js';
import { userTable } from './privacy/user-rows.js';
import { deliveryTable } from './replaying/delivery-table.js';
import { replayTable } from './replaying/replay-table.js';
import { pendingTable } from './sending/settle-pending.js';
import { webhookKeyTable } from './sending/webhook-keys.js';
import { type ResultWriting, writeResults } from './sending/write-results.js';
import { failingTable } from './webhooks/failing-webhooks.js';
import { headerTable } from './webhooks/webhook-headers.js';
import { hostsOf } from './webhooks/webhook-hosts.js';
import { webhookTable } from './webhooks/webhook-rows.js';
import { secretTable } from './webhooks/webhook-secrets.js';

export interface UnitOfWorkOptions {
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore<WebhookEvent>;
  readonly vault: Vault;
  /** Key ring that seals what belongs to no user. */
  readonly ring: KeyRing;
  readonly writing: ResultWriting;
  /** Called after each commit: the moment to wake the relay. */
  readonly afterCommit?: () => void;
}

/** Transactions on the tables of webhooks. */
export const postgresUnitOfWork = ({ afterCommit = () => {}, ...options }: UnitOfWorkOptions) => ({
  /**
   * Runs `work` in one transaction, which stores all or nothing. `work` is repeated after a deadlock, so it has no
   * effect but through its transaction.
   */
  async inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const result = await inRetriedTransaction(options.pool, (tx) =>
      work(transactionOn(tx, options)),
    );
    afterCommit();
    return result;
  },
});

type Transaction = ReturnType<typeof transactionOn>;

/** The tables inside the caller's transaction, which decides what stays. Ids of webhooks are wh_… */
export const transactionOn = (
  tx: pg.PoolClient,
  { store, vault, ring, writing }: Omit<UnitOfWorkOptions, 'pool' | 'afterCommit'>,
) => ({
  /** Store of events, which writes the rows of their webhooks as well. */
  events: store.within(tx),
  webhooks: webhookTable(tx),
  secrets: secretTable(tx, vault),
  headers: headerTable(tx, vault),
  circuits: circuitTable(tx),
  failing: failingTable(tx),
  intake: intakeRows(tx, writing, new Date()),
  deliveries: deliveryTable(tx, writing.unlock),
  pending: pendingTable(tx),
  results: { write: (results: readonly Result[]) => writeResults(tx, writing, results) },
  replays: replayTable(tx),
  /** Records for Kafka, sent after the commit. */
  outbox: {
    /** Publishes to the topic of webhooks what no stored event says. */
    publish: (records: readonly WebhookRecord[]) => insertOutbox(tx, records.map(recordOf)),
    /** Sends notices to the owner's other webhooks. */
    async notify(notices: readonly WebhookNotice[]) {
      const hosts = await hostsOf(tx, notices);
      await insertOutbox(
        tx,
        notices.map((notice) => noticeOf(notice, hosts.get(notice.data.webhook_id))),
      );
    },
  },
  payloads: payloadTable(tx),
  redactions: redactionTable(tx),
  users: userTable(tx, vault),
  webhookKeys: webhookKeyTable(tx, ring),
});
