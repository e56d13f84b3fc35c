import type { DomainEventMessage, NoticeData, NoticeKind } from '@junction/contracts';
import type { BatchingEventStore } from '@junction/eventsourcing';
import type { CustomHeaders } from '../domain/webhook/custom-headers.js';
import type { WebhookEvent } from '../domain/webhook/events.js';
import type { Rest, Result } from './dispatch/job.js';

/** Transactions in which commands are issued and tables are written. */
export interface UnitOfWork {
  /**
   * Runs `work` in one transaction: all of it is stored, or nothing. `work` is repeated after a deadlock, so it has
   * no effect but through its transaction.
   */
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** One transaction. Ids of webhooks are wh_… */
export interface Transaction {
  /** Stores events, with the rows of their webhooks. */
  readonly events: BatchingEventStore<WebhookEvent>;
  readonly webhooks: WebhookTable;
  readonly secrets: SecretTable;
  readonly headers: HeaderTable;
  readonly circuits: CircuitTable;
  readonly failing: FailingTable;
  readonly pending: PendingTable;
  readonly results: ResultTable;
  readonly outbox: Outbox;
  readonly users: UserData;
}

/** A webhook and the user whose key seals what lies beside it. */
export interface WebhookOwner {
  readonly webhookId: string;
  readonly userId: string;
}

export interface WebhookTable {
  /** How many the user has. Of two transactions that count and then add one, the second waits for the first. */
  count(userId: string): Promise<number>;
  /** Whether one of the user's has this href. */
  hasAt(userId: string, href: string): Promise<boolean>;
  /** Undefined: there is none (any more). */
  version(webhookId: string): Promise<number | undefined>;
  ofUsers(userIds: readonly string[]): Promise<readonly WebhookOwner[]>;
}

/** The secrets that requests are signed with, sealed. */
export interface SecretTable {
  /** Deletes all secrets of the webhook and inserts this one. */
  replace(webhook: WebhookOwner, version: number, secret: string): Promise<void>;
  /** Inserts a secret; those before it end at `previousExpiresAt` or earlier, the oldest at once. */
  rotate(
    webhook: WebhookOwner,
    rotation: { readonly version: number; readonly previousExpiresAt: string | null },
    secret: string,
  ): Promise<void>;
  delete(webhookId: string): Promise<void>;
}

/** The values of custom headers, sealed. */
export interface HeaderTable {
  replace(webhook: WebhookOwner, version: number, headers: CustomHeaders): Promise<void>;
  delete(webhookId: string): Promise<void>;
}

/** A webhook, and the version of it that was asked; undefined: any. */
export interface Asked {
  readonly webhookId: string;
  readonly version: number | undefined;
}

/** Circuits that are open or half open: of a webhook that is well there is no row. */
export interface CircuitTable {
  /**
   * Stores that the circuit rests, in the place of the rest before. Undefined: there is no such webhook, or it has
   * changed since that version.
   * `isNew`: it was closed before.
   */
  open(
    asked: Asked,
    openedAt: Date,
    rest: Rest,
  ): Promise<(OpenCircuit & { readonly isNew: boolean }) | undefined>;
  /** Gives the circuit that was open; undefined: none was. */
  close(webhookId: string): Promise<OpenCircuit | undefined>;
}

export interface OpenCircuit {
  readonly userId: string;
  readonly openedAt: Date;
}

/** Webhooks whose last attempt failed, and since when none succeeded. Results write it. */
export interface FailingTable {
  /** Deletes the row when its failures span that long. False: they do not (any more). */
  deleteFailingFor(webhookId: string, minMs: number): Promise<boolean>;
  /** Why the last attempt of each failed, of those whose last attempt did. */
  reasons(webhookIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Whether deliveries of notices failed since then, and no others. */
  isByNoticesAlone(webhookId: string, since: Date): Promise<boolean>;
  delete(webhookId: string): Promise<void>;
}

/** Deliveries that have a next attempt. */
export interface PendingTable {
  /** Ends what waits for the webhook: a batch here, the dispatcher goes on with the rest. */
  end(webhookId: string, ending: Ending): Promise<void>;
  /** Has the oldest of what waits for an ordered webhook attempted now: all that comes later waits for it. */
  headNow(webhookId: string): Promise<void>;
  delete(webhookIds: readonly string[]): Promise<void>;
}

/** What becomes of deliveries that wait for a webhook: held while it is disabled, cancelled without it. */
export type Ending = 'held' | 'cancelled';

export interface ResultTable {
  /** Gives those that were written; the others are of shards that another replica has. */
  write(results: readonly Result[]): Promise<readonly Result[]>;
}

/** Records for Kafka, sent after the commit. */
export interface Outbox {
  /** For the topic of webhooks: what no stored event says. */
  publish(records: readonly WebhookRecord[]): Promise<void>;
  /** For the owner's other webhooks. */
  notify(notices: readonly WebhookNotice[]): Promise<void>;
}

interface Identified {
  /** The same when it is written again: readers drop the second. */
  readonly id: string;
}

export type WebhookRecord = {
  readonly [Type in 'webhook.circuit_opened' | 'webhook.circuit_closed' | 'delivery.exhausted']: {
    readonly type: Type;
    readonly message: DomainEventMessage<Type>;
  };
}['webhook.circuit_opened' | 'webhook.circuit_closed' | 'delivery.exhausted'] &
  Identified;

type NoticeOfWebhook = Extract<NoticeKind, `webhook.${string}`>;

export type WebhookNotice = {
  readonly [Kind in NoticeOfWebhook]: { readonly kind: Kind; readonly data: NoticeData<Kind> };
}[NoticeOfWebhook] &
  Identified & { readonly userId: string };

export interface UserData {
  /** Shreds the user's key, and has the rows that it sealed deleted in the background. */
  delete(userId: string): Promise<void>;
}
