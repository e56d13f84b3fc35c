import type { EventCatalogue } from '@junction/contracts';
import type { SearchRoom } from './history/search-room.js';
import type { ByteBudget } from './replaying/byte-budget.js';
import type { WebhookKeys } from './sending/webhook-keys.js';
import type { WebhookOwner } from './unit-of-work.js';

/** Reads, units of work and whatever else lies in the database, as their statements have it. */
export type Tables = ReturnType<typeof import('../adapters/postgres/tables.js').tablesOn>;

/** Rows in which entries wait for listeners. */
export type LiveTail = ReturnType<typeof import('../adapters/postgres/live/live-tail.js').liveTail>;

/** Ports of the use cases, clock and random ids included. */
export interface Ports extends Tables {
  /** Kinds of events that there are. */
  readonly catalogue: EventCatalogue;
  readonly webhookKeys: WebhookKeys;
  /** Notifies the other replicas that there is a key that they have not read. */
  readonly webhookKeyAdded: () => void;
  /** Room for what opens many bodies, of all deliveries of a user. */
  readonly searching: SearchRoom;
  readonly budget: ByteBudget;
  /** Number of webhooks that a user may have. */
  readonly webhooksPerUserMax: () => number;
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
