import type { DomainEventMessage, NoticeData, NoticeKind } from '@junction/contracts';
import type { BatchingEventStore } from '@junction/eventsourcing';
import type { CustomHeaders } from '../domain/webhook/custom-headers.js';
import type { WebhookEvent, WebhookStatus } from '../domain/webhook/events.js';
import type { IntakeRows } from './intake/ports.js';
import type { Rest, Result } from './job.js';
import type { PayloadTable, RedactionTable, UserTable } from './privacy/ports.js';
import type { DeliveryTable, ReplayOperation } from './replaying/ports.js';
import type { WebhookKeyTable } from './sending/webhook-keys.js';

/** Unit of work: a transaction in which commands are issued and tables are written. */
export interface UnitOfWork {
  /**
   * Runs `work` in one transaction, which stores all or nothing. `work` is repeated after a deadlock, so it has no
   * effect but through its transaction.
   */
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** Tables and events within one transaction. Ids of webhooks are wh_… */
export interface Transaction {
  /** Store of events, which writes the rows of their webhooks as well. */
  readonly events: BatchingEventStore<WebhookEvent>;
  readonly webhooks: WebhookTable;
  readonly secrets: SecretTable;
  readonly headers: HeaderTable;
  readonly circuits: CircuitTable;
  readonly failing: FailingTable;
  /** Files events, as the consumer does. */
  readonly intake: Pick<IntakeRows, 'record'>;
  readonly deliveries: DeliveryTable;
  readonly pending: PendingTable;
  readonly results: ResultTable;
  readonly replays: ReplayTable;
  readonly outbox: Outbox;
  readonly payloads: PayloadTable;
  readonly redactions: RedactionTable;
  readonly users: UserTable;
  readonly webhookKeys: WebhookKeyTable;
}

/** A webhook and the user whose key seals what is stored beside it. */
export interface WebhookOwner {
  readonly webhookId: string;
  readonly userId: string;
}

export interface WebhookTable {
  /** Waits for the user's turn to add webhooks or to lose them all, which lasts until the transaction ends. */
  takeTurn(userId: string): Promise<void>;
  /**
   * Returns how many webhooks the user has, in the user's turn: of two transactions that count and then add one, the
   * second waits for the first. AppError `unauthenticated` for a user whose account has ended meanwhile.
   */
  count(userId: string): Promise<number>;
  /** Returns whether the user has a webhook with this href. */
  hasAt(userId: string, href: string): Promise<boolean>;
  /** Returns the version of the webhook; undefined: the webhook does not exist, or no longer. */
  version(webhookId: string): Promise<number | undefined>;
  /** Returns the status of the webhook; undefined: the webhook does not exist, or no longer. */
  status(webhookId: string): Promise<WebhookStatus | undefined>;
  ofUsers(userIds: readonly string[]): Promise<readonly WebhookOwner[]>;
  /** Returns those of these webhooks of the user, or of all, that were not changed after that moment. */
  unchangedSince(
    userId: string,
    webhookIds: readonly string[] | undefined,
    moment: Date,
  ): Promise<readonly WebhookOwner[]>;
}

/** Secrets that sign requests, sealed. */
export interface SecretTable {
  /** Deletes all secrets of the webhook and inserts this one. */
  replace(webhook: WebhookOwner, version: number, secret: string): Promise<void>;
  /** Inserts a secret. Those before it end at `previousExpiresAt` or earlier, the oldest at once. */
  rotate(
    webhook: WebhookOwner,
    rotation: { readonly version: number; readonly previousExpiresAt: string | null },
    secret: string,
  ): Promise<void>;
  delete(webhookId: string): Promise<void>;
}

/** Values of custom headers, sealed. */
export interface HeaderTable {
  replace(webhook: WebhookOwner, version: number, headers: CustomHeaders): Promise<void>;
  delete(webhookId: string): Promise<void>;
}

/** A webhook, and the version of it to which the attempt was sent; undefined: any version. */
export interface Asked {
  readonly webhookId: string;
  readonly version: number | undefined;
}

/** Circuits that are open or half open: a healthy webhook has no row. */
export interface CircuitTable {
  /**
   * Stores that the circuit rests, and replaces the rest before. Returns undefined when the webhook does not exist, or
   * has changed since that version. `isNew`: the circuit was closed before.
   */
  open(
    asked: Asked,
    openedAt: Date,
    rest: Rest,
  ): Promise<(OpenCircuit & { readonly isNew: boolean }) | undefined>;
  /** Deletes the circuit, and returns it; undefined: none was open. */
  close(webhookId: string): Promise<OpenCircuit | undefined>;
}

export interface OpenCircuit {
  readonly userId: string;
  readonly openedAt: Date;
}

/** Failures since `since`, of which the owner is notified at `at`, unless that was done after `toldBefore`. */
export interface ToldFailure {
  readonly since: Date;
  readonly at: Date;
  readonly toldBefore: Date;
}

/**
 * Webhooks whose last attempt failed, each with the first failure after its last success. The rows are written with the
 * results.
 */
export interface FailingTable {
  /** Deletes the row when the webhook's failures span that long. Returns false when they do not (any more). */
  deleteFailingFor(webhookId: string, minMs: number): Promise<boolean>;
  /**
   * Remembers that the owner is notified of failures since `since`. Returns false when they ended, or the owner was
   * notified after `toldBefore`.
   */
  tell(webhookId: string, told: ToldFailure): Promise<boolean>;
  /** Returns why the last attempts failed, of those of these webhooks whose last attempt did. */
  reasons(webhookIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns whether since then deliveries failed, all of them notices. */
  isByNoticesAlone(webhookId: string, since: Date): Promise<boolean>;
  delete(webhookId: string): Promise<void>;
}

/** Deliveries that have a next attempt. */
export interface PendingTable {
  /** Ends what waits for the webhook: one batch here, while the dispatcher goes on with the rest. */
  end(webhookId: string, ending: Ending): Promise<void>;
  /** Has the oldest delivery that waits for an ordered webhook attempted now, since all later ones wait for it. */
  headNow(webhookId: string): Promise<void>;
  /**
   * Has the next attempt of these deliveries and their repeats made now, once more than the schedule has, and returns
   * the ids of all that wait. An open circuit lets one probe through, unless one failed since `askedAt`. `isFirst`:
   * before all that is due of the webhook, so that the delivery is that probe; otherwise behind all live ones, as a
   * replay.
   */
  attemptNow(
    webhookId: string,
    deliveryIds: readonly string[],
    options: { readonly isFirst: boolean; readonly askedAt: Date },
  ): Promise<readonly string[]>;
  /**
   * Has the delivery that goes next attempted now, and ends the rest of an open circuit even when none waits, unless a
   * probe failed since `askedAt`. Returns the attempt, which may be under way when it is due already; undefined: none
   * waits.
   */
  attemptFirst(webhookId: string, askedAt: Date): Promise<DueAttempt | undefined>;
  /** Returns whether one of these deliveries waits for an attempt. */
  hasAny(deliveryIds: readonly string[]): Promise<boolean>;
  /** Returns how many deliveries that replays sent are due for the webhook, ROOM_MAX when there are more. */
  countReplayed(webhookId: string): Promise<number>;
  delete(webhookIds: readonly string[]): Promise<void>;
}

/** Attempt that is made now. */
export interface DueAttempt {
  /** dlv_… */
  readonly deliveryId: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Size of the body as it is stored. */
  readonly bytes: number;
}

/** End of the deliveries that wait for a webhook: held while it is disabled, cancelled when it is deleted. */
export type Ending = 'held' | 'cancelled';

export interface ResultTable {
  /** Writes results, and returns those that were written; shards of the others belong to another replica. */
  write(results: readonly Result[]): Promise<readonly Result[]>;
}

export interface ReplayTable {
  /**
   * Locks and returns the running replay whose turn is longest ago, and that no transaction has locked. A replay begins
   * when every transaction has ended that was under way when it was asked for: those may still file a delivery that
   * lies in its span.
   */
  claim(): Promise<ReplayOperation | undefined>;
  /** Adds what was sent, and ends the turn of the replay; with `waitS`, its next turns for so many seconds. */
  advance(
    operationId: string,
    progress: Pick<ReplayOperation, 'sent' | 'skipped' | 'lastDeliveryId' | 'room'> & {
      readonly waitS?: number;
    },
  ): Promise<ReplayOperation>;
  end(
    operationId: string,
    status: 'completed' | 'cancelled',
    reason: string | null,
  ): Promise<ReplayOperation>;
}

/** Records for Kafka, sent after the commit. */
export interface Outbox {
  /** Publishes to the topic of webhooks what no stored event says. */
  publish(records: readonly WebhookRecord[]): Promise<void>;
  /** Sends notices to the owner's other webhooks. */
  notify(notices: readonly WebhookNotice[]): Promise<void>;
}

interface Identified {
  /** Id of the message, the same when it is written again: readers drop the second. */
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
