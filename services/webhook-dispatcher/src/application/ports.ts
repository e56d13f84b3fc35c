import type { EventCatalogue } from '@junction/contracts';
import type { DeliveryReads, EventReads } from './history/ports.js';
import type { SearchRoom } from './history/search-room.js';
import type { DeletedUserRows, Redactions } from './privacy/ports.js';
import type { ByteBudget } from './replaying/byte-budget.js';
import type { Replays } from './replaying/ports.js';
import type { WebhookKeyStore, WebhookKeys } from './sending/webhook-keys.js';
import type { StatisticsReads } from './statistics/ports.js';
import type { UnitOfWork, WebhookOwner } from './unit-of-work.js';
import type { FailingReads, WebhookReads } from './webhooks/ports.js';

/** Ports of what users read. */
export interface ReadPorts {
  readonly webhooks: WebhookReads;
  readonly deliveries: DeliveryReads;
  readonly statistics: StatisticsReads;
  readonly events: EventReads;
}

/** Ports of the use cases, clock and random ids included. */
export interface Ports extends ReadPorts {
  /** Makes reads that end when the signal aborts, in the database too. Several callers share one of statistics. */
  readonly readsUntil: (signal: AbortSignal) => Omit<ReadPorts, 'statistics'>;
  readonly unitOfWork: UnitOfWork;
  /** Transactions of background work that appends no event and publishes nothing. */
  readonly quietWork: UnitOfWork;
  /** Kinds of events that there are. */
  readonly catalogue: EventCatalogue;
  readonly webhookKeyStore: WebhookKeyStore;
  readonly webhookKeys: WebhookKeys;
  /** Notifies the other replicas that there is a key that they have not read. */
  readonly webhookKeyAdded: () => void;
  readonly failing: FailingReads;
  /** Room for what opens many bodies, of all deliveries of a user. */
  readonly searching: SearchRoom;
  readonly replays: Replays;
  readonly budget: ByteBudget;
  readonly redactions: Redactions;
  readonly deletedUserRows: DeletedUserRows;
  /** Number of webhooks that a user may have. */
  readonly webhooksPerUserMax: number;
  /** Notifies the dispatcher of this replica, which would otherwise notice a moment later, and those who watch. */
  readonly webhookChanged: (webhook: WebhookOwner) => void;
  /** Notifies the dispatcher that webhooks of users who left are gone. */
  readonly webhooksDeleted: (webhooks: readonly WebhookOwner[]) => void;
  /** Notifies that there is a replay to move on. */
  readonly replayBegun: () => void;
  readonly now: () => Date;
  readonly newWebhookId: () => string;
  readonly newOperationId: () => string;
  /**
   * Runs a change of a user's webhooks when the user's changes before it are done. A change that waits holds no
   * connection, and does not meet a version that another one has just moved. Not to be nested. @throws AppError
   * `too_busy`
   */
  readonly inTurn: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
  readonly newSecret: () => string;
}
