/** Attempts for one webhook within one hour, counted. */
export interface WebhookHour {
  /** wh_… */
  readonly webhookId: string;
  readonly userId: string;
  /** Start of the hour (UTC). */
  readonly hour: Date;
  readonly succeeded: number;
  readonly failed: number;
  /** Number of events that the filter of the webhook dropped. */
  readonly filtered: number;
  /** Number of attempts by how long they took; see domain/statistics/latency.ts. */
  readonly latency: readonly number[];
}

/** An hour as it is counted, with its last attempt if there was one. */
export interface CountedHour extends WebhookHour {
  readonly lastDeliveryId: string | null;
  readonly lastAt: Date | null;
  readonly lastResult: string | null;
}

/** The attempt for a webhook that began last. */
export interface LastAttempt {
  /** wh_… */
  readonly webhookId: string;
  /** dlv_… */
  readonly deliveryId: string;
  readonly at: Date;
  /** `succeeded` or a stable reason. */
  readonly result: string;
}

/** Numbers of deliveries that were not sent so far, each 10,000 when there are more. */
export interface Unsent {
  /** Deliveries that wait for an attempt. */
  readonly waiting: number;
  /** Deliveries that are held, and were not sent again since. */
  readonly held: number;
}

export interface StatisticsReads {
  /** Returns the hours of these webhooks, the oldest first. */
  hours(webhookIds: readonly string[], from: Date, to: Date): Promise<readonly WebhookHour[]>;
  /** Returns how many deliveries of these webhooks together were not sent so far. */
  unsent(webhookIds: readonly string[]): Promise<Unsent>;
  /** Returns the same for each webhook. */
  unsentOfEach(webhookIds: readonly string[]): Promise<ReadonlyMap<string, Unsent>>;
  /** Returns the last attempt for each of these webhooks that has one, the newest first. */
  lastAttempts(webhookIds: readonly string[]): Promise<readonly LastAttempt[]>;
}
