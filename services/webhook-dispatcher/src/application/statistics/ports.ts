import type { Response } from '../../domain/statistics/marks.js';

/** Attempts within one hour, counted. */
export interface SummedHour {
  /** Start of the hour (UTC). */
  readonly hour: Date;
  readonly succeeded: number;
  readonly failed: number;
  /** Number of events that the filters of the webhooks dropped. */
  readonly filtered: number;
  /** Number of attempts by how long they took; see domain/statistics/latency.ts. */
  readonly latency: readonly number[];
}

/** Attempts for one webhook within one hour. */
export interface HourOfWebhook extends SummedHour {
  /** wh_… */
  readonly webhookId: string;
}

/** Numbers of attempts by keys. */
export type Counts = Readonly<Record<string, number>>;

/** An hour as it is added to what is stored, with its last attempt if there was one. */
export interface CountedHour extends HourOfWebhook {
  readonly userId: string;
  readonly lastDeliveryId: string | null;
  readonly lastAt: Date | null;
  readonly lastResult: string | null;
  /** Marks of the newest attempts, oldest first; see domain/statistics/marks.ts. */
  readonly marks: string;
  /** By kind and response: `draft.created 2xx`. */
  readonly responses: Counts;
  /** By five minutes of the hour, kind and response: `11 draft.created 2xx`. */
  readonly fiveMinutes: Counts;
}

/** The attempt for a webhook that began last, in the names of answers. */
export interface LastAttempt {
  /** wh_… */
  readonly webhook_id: string;
  /** dlv_… */
  readonly delivery_id: string;
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

export const STEPS = ['5m', '1h', '6h'] as const;

/** Time between two counts of responses. */
export type Step = (typeof STEPS)[number];

/** Attempts of one kind with one class of responses, in the names of answers. */
export interface StepCount {
  /** Start of the step (UTC). */
  readonly at: Date;
  readonly event_type: string;
  readonly response: Response;
  readonly attempts: number;
}

/** Hours that begin from `from` (inclusive) to `to` (exclusive). */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

export interface SteppedSpan extends Span {
  readonly step: Step;
}

export interface StatisticsReads {
  /** Returns the hours of these webhooks in sum, the oldest first. */
  hours(webhookIds: readonly string[], span: Span): Promise<readonly SummedHour[]>;
  /** Returns the hours of each of these webhooks, the oldest first. */
  hoursOfEach(webhookIds: readonly string[], span: Span): Promise<readonly HourOfWebhook[]>;
  /** Counts the responses to these webhooks together, the oldest first. */
  responses(webhookIds: readonly string[], span: SteppedSpan): Promise<readonly StepCount[]>;
  /** Returns how many deliveries of these webhooks together were not sent so far. */
  unsent(webhookIds: readonly string[]): Promise<Unsent>;
  /** Returns the same for each webhook. */
  unsentOfEach(webhookIds: readonly string[]): Promise<ReadonlyMap<string, Unsent>>;
  /** Returns the marks of the last attempts of each webhook, oldest first. */
  marksOfEach(webhookIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the last attempt for each of these webhooks that has one, the newest first. */
  lastAttempts(webhookIds: readonly string[]): Promise<readonly LastAttempt[]>;
}
