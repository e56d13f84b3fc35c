import type { DeliveryStatus } from '../../domain/delivery/events.js';
import type { ReplaySpan } from '../replaying/replay.js';

/** Day and id by which the row of a delivery is found. */
export interface DeliveryKey {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** dlv_… */
  readonly deliveryId: string;
}

/** A delivery together with those that repeat it. */
export interface Standing extends DeliveryKey {
  readonly isRedacted: boolean;
  /** pending or retrying if one of them is, succeeded if one of them did, else the status of the latest. */
  readonly status: DeliveryStatus;
}

/** A delivery that lies in the time of a replay. */
export interface Candidate extends Standing {
  /** null: retention has just taken the delivery, and its outcome not yet. */
  readonly kind: string | null;
  /** The delivery repeats another one, which stands for both. */
  readonly isRepeat: boolean;
}

/** Content of a delivery, which its repeats have too. */
export interface DeliveryContent {
  /** dlv_… */
  readonly deliveryId: string;
  /** msg_… */
  readonly messageId: string;
  /** wh_… */
  readonly webhookId: string;
  readonly userId: string;
  readonly kind: string;
  readonly isTest: boolean | null;
  readonly body: Buffer;
  readonly traceparent: string | null;
  readonly eventTime: Date | null;
}

/** A new delivery that repeats another one. */
export interface Repeat extends DeliveryContent {
  readonly originalId: string;
  readonly shard: number;
}

export interface DeliveryTable {
  /**
   * Finds the delivery, or the one that it repeats. Of two transactions that ask for the same original, the second
   * waits for the first.
   */
  original(webhookId: string, deliveryId: string): Promise<Standing | undefined>;
  /**
   * Returns the next deliveries of the span in the order of their ids; fewer than `limit`: there are no more. When only
   * what failed for good is wanted, what succeeded or waits is not even looked at.
   */
  candidates(
    webhookId: string,
    span: ReplaySpan,
    after: string | null,
    limit: number,
  ): Promise<readonly Candidate[]>;
  /**
   * Returns the contents that are still stored and whose user has a key. Their rows are locked: a transaction that
   * redacts them waits for the repeats, and finds them.
   */
  contents(deliveries: readonly DeliveryKey[]): Promise<readonly DeliveryContent[]>;
  /** Files repeats, which are due now. `operationId`: the replay that sends them. */
  insertRepeats(repeats: readonly Repeat[], operationId: string | undefined): Promise<void>;
  /** Marks a delivery as a test. */
  markTest(delivery: DeliveryKey): Promise<void>;
}
