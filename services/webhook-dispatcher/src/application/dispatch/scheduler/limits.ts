/**
 * Every number of the scheduler, and why it is what it is. Figures are of docs/performance.md and of the tests that are
 * named; where there is no figure, the number bounds memory or is far from what is measured.
 */

/** Deliveries in hand: 1.3 s of work at 6,300 a second, with which the process peaked at 139 MB (`rss_mb`). */
export const JOBS_MAX = 8_000;
/** All bodies in hand: large events meet this bound before they meet the one by number. */
export const BODY_BYTES_MAX = 64 * 1_024 * 1_024;
/** Queues of webhooks that are not responsive fill half of the room: `unresponsive_p50_ratio` was 0.96 with it. */
export const UNRESPONSIVE_JOBS_MAX = JOBS_MAX / 2;
/** Of that half, room that is kept for jobs read from the table: fresh events would otherwise always win. */
export const KEPT_FOR_DUE = 32;
/** With less room a read brings mostly what is turned away: 3,500 bodies a second beside 10,000 hung endpoints. */
export const LOW_WATERMARK = 500;

/** Of one webhook: more would only move the queue from the table into memory. */
export const QUEUE_JOBS_MAX = 1_000;
/** Of a slow webhook: what it can send before the next read of the table. */
export const SLOW_QUEUE_JOBS_MAX = 16;
/** Queues kept with their webhooks: the process peaked at 187 MB with 20,000 of 100,000 (`rss_100k_webhooks_mb`). */
export const QUEUES_MAX = 20_000;
/** How many queues are looked at for a quiet one, so that a new queue costs the same however many are busy. */
export const EVICTION_TRIES_MAX = 100;

/** The limit of attempts at once to a class of endpoints begins at `start`, and adapts between the others. */
export interface ClassLimits {
  readonly start: number;
  readonly min: number;
  readonly max: number;
}

/** Responsive endpoints: more would only wait for each other. The bare loop of the bench has 64 connections. */
export const RESPONSIVE_AT_ONCE: ClassLimits = { start: 128, min: 64, max: 128 };
/**
 * All others: an attempt that hangs holds a connection for 15 s. Few start together, since what starts together times
 * out together, and then healthy endpoints wait for the results of all of them. classes.test.ts holds the numbers.
 */
export const UNRESPONSIVE_AT_ONCE: ClassLimits = { start: 64, min: 64, max: 1_000 };
/**
 * A class that is full grows by a place in each tick: by 1,000 in the 15 s after which an attempt times out. So as many
 * begin as end at any time. Four in 10 ms made timeouts cost healthy endpoints 90 to 190 ms, two 46 to 95 ms; and a new
 * endpoint waits for as long as nothing ends that began together.
 */
export const TICK_MS = 15;
/** How often attempts are looked at for those that take long: a fifth of what is long. */
export const LOOK_EVERY_MS = 100;
/** A closed circuit that has seen failures shows with two attempts at once whether its webhook recovers. */
export const SUSPECTED_AT_ONCE = 2;
/** What an attempt is charged at least: one that takes no time at all would always be next. */
export const USED_MIN_MS = 0.1;

/** More is taken in while less is in hand for endpoints that answer: 0.16 s of work at 6,300 deliveries a second. */
export const READY_BELOW_JOBS = 1_000;
/** One who waits to be let in is let in after this at the latest, so that one stuck webhook does not hold up all. */
export const READY_WITHIN_MS = 500;

/** Results in one statement: `sql_per_delivery` was 0.021 with it. */
export const RESULTS_BATCH_MAX = 500;
/** A result waits this long for others, so that one statement writes many. */
export const FLUSH_AFTER_MS = 5;
/** Under load results wait twice as long as the last statement took: two thirds of the time are for something else. */
export const FLUSH_AFTER_TIMES = 2;
export const FLUSH_AFTER_MAX_MS = 10;
/** With more unwritten results than this nothing is sent: the database is away. */
export const RESULTS_MAX = 5_000;
/** After a failed write the next is tried after this, doubled up to the maximum: `recovery_postgres_s` was 0.29. */
export const WRITE_RETRY_FIRST_MS = 100;
export const WRITE_RETRY_MAX_MS = 2_000;
/** A retry that is due sooner than the reader looks again by itself wakes the reader. */
export const SOON_MS = 1_000;

/** Webhooks loaded by one statement. */
export const LOAD_MAX = 200;

/** Calls between replicas may get lost: how late a change or a free shard may be seen then. */
export const POLL_MS = 1_000;
/** Retries of the next moment are read together. */
export const TOGETHER_MS = 50;
/** Rows of one read of what is due. */
export const READ_MAX = 500;
