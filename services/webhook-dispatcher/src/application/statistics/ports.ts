/** Attempts for one webhook within one hour, counted. */
export interface WebhookHour {
  /** wh_… */
  readonly webhookId: string;
  readonly userId: string;
  /** Start of the hour (UTC). */
  readonly hour: Date;
  readonly succeeded: number;
  readonly failed: number;
  /** Number of attempts by how long they took; see domain/statistics/latency.ts. */
  readonly latency: readonly number[];
}

export interface StatisticsReads {
  /** Returns the hours of these webhooks, the oldest first. */
  hours(webhookIds: readonly string[], from: Date, to: Date): Promise<readonly WebhookHour[]>;
  /** Returns how many deliveries wait for an attempt, 10,000 when there are more. */
  waiting(webhookIds: readonly string[]): Promise<number>;
  /** Returns the same for each webhook. */
  waitingOfEach(webhookIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
