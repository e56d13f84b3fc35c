import type { DeliveryReads, EventReads } from './history/ports.js';
import type { Redactions } from './privacy/ports.js';
import type { Replays } from './replaying/ports.js';
import type { WebhookKeys } from './sending/webhook-keys.js';
import type { StatisticsReads } from './statistics/ports.js';
import type { UnitOfWork, WebhookOwner } from './unit-of-work.js';
import type { FailingReads, WebhookReads } from './webhooks/ports.js';

/** Ports of the use cases of webhook owners, clock and random ids included. */
export interface Ports {
  readonly unitOfWork: UnitOfWork;
  readonly webhooks: WebhookReads;
  readonly webhookKeys: Pick<WebhookKeys, 'signing'>;
  readonly failing: FailingReads;
  readonly deliveries: DeliveryReads;
  readonly replays: Replays;
  readonly redactions: Redactions;
  readonly statistics: StatisticsReads;
  readonly events: EventReads;
  /** Number of webhooks that a user may have. */
  readonly webhooksPerUserMax: number;
  /** Notifies the dispatcher of this replica, which would otherwise notice a moment later, and those who watch. */
  readonly webhookChanged: (webhook: WebhookOwner) => void;
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
