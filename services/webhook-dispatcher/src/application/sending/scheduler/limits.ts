/**
 * Numbers of the scheduler, each with its reason. Figures are of docs/performance.md and of the tests that are named; a
 * number without a figure bounds memory, or is far from what is measured.
 */

/**
 * Requests that may go, in this replica, to webhooks of a host that did not answer 2xx last, until some of the host do:
 * at once, and in a second after that. New webhooks of a host that answers within half a second never use up the first:
 * its class starts with fewer (decision 49).
 */
export const HOST_CREDIT = 100;
export const HOST_CREDIT_PER_S = 10;
/** Requests that a 2xx lets go: itself and two more, as the limit of a class grows with an answer (`NEEDED_TIMES`). */
export const HOST_CREDIT_PER_2XX = 3;
/** Credit that a host saves up at most: as many requests as its class makes at once. */
export const HOST_CREDIT_MAX = 1_000;
/** Bytes up to which a body costs one request: small events go by their number, large ones by their size. */
export const HOST_CREDIT_BYTES = 16 * 1_024;
/** Milliseconds between looks at hosts without credit: in that time, one request's worth comes back. */
export const RELEASE_EVERY_MS = 100;
/** Hosts kept; beyond that, those are dropped of which no queue is kept. */
export const HOSTS_MAX = 40_000;

/** Deliveries in hand: 1.3 s of work at 6,300 a second, with which the process peaked at 139 MB (`rss_mb`). */
export const JOBS_MAX = 8_000;
/** Bytes of all bodies in hand: large events meet this bound before they meet the one by number. */
export const BODY_BYTES_MAX = 64 * 1_024 * 1_024;
/** Queues of webhooks that are not responsive fill half of the room: `unresponsive_p50_ratio` was 0.96 with it. */
export const UNRESPONSIVE_JOBS_MAX = JOBS_MAX / 2;
/** Room within that half that is kept for jobs read from the table: fresh events would otherwise always win. */
export const KEPT_FOR_DUE = 32;
/**
 * With less room, a read brings mostly jobs that are turned away: 3,500 bodies a second beside 10,000 hung endpoints.
 */
export const LOW_WATERMARK = 500;

/** Jobs queued for one webhook: more would only move the queue from the table into memory. */
export const QUEUE_JOBS_MAX = 1_000;
/** Jobs queued for a slow webhook: as many as can be sent before the next read of the table. */
export const SLOW_QUEUE_JOBS_MAX = 16;
/** Queues kept with their webhooks: the process peaked at 187 MB with 20,000 of 100,000 (`rss_100k_webhooks_mb`). */
export const QUEUES_MAX = 20_000;
/** Queues that are tried to find a quiet one, so that a new queue costs the same however many are busy. */
export const EVICTION_TRIES_MAX = 100;

/**
 * Attempts at once to a class of endpoints. The limit starts at `start`, and adapts between `min` and `max`: up to
 * `steady` by itself, beyond it as far as answers need it.
 */
export interface ClassLimits {
  readonly start: number;
  readonly min: number;
  readonly steady: number;
  readonly max: number;
}

/**
 * Responsive endpoints. With those that answer at once, more than 128 attempts would only wait for each other; with
 * those that take 200 ms, 128 are 640 a second. Each attempt holds a socket, which is why there is a maximum.
 */
export const RESPONSIVE_AT_ONCE: ClassLimits = { start: 128, min: 64, steady: 128, max: 3_000 };
/**
 * All other endpoints: an attempt that hangs holds a connection for 15 s. Few start together, since attempts that start
 * together time out together, and then healthy endpoints wait for the results of all of them. classes.test.ts holds the
 * numbers.
 */
export const UNRESPONSIVE_AT_ONCE: ClassLimits = { start: 64, min: 64, steady: 1_000, max: 1_000 };
/** Attempts of both classes at once, each with a socket. */
export const SOCKETS_MAX = RESPONSIVE_AT_ONCE.max + UNRESPONSIVE_AT_ONCE.max;
/** Milliseconds over which answers are counted. */
export const ANSWERED_OVER_MS = 250;
/** Attempts at once for each one that answers need: the limit triples with a round of answers while all are used. */
export const NEEDED_TIMES = 3;
/**
 * Milliseconds of a tick, in which a full class grows by one slot: by 1,000 in the 15 s after which an attempt times
 * out, so that as many attempts start as end at any time. Four slots in 10 ms made timeouts cost healthy endpoints 90
 * to 190 ms, two 46 to 95 ms; and a new endpoint waits until attempts that started together end.
 */
export const TICK_MS = 15;
/** Milliseconds between two looks for attempts that take long: a fifth of `RESPONSIVE_MAX_MS`. */
export const LOOK_EVERY_MS = 100;
/** Attempts at once to a webhook whose closed circuit has seen failures: two show whether it recovers. */
export const SUSPECTED_AT_ONCE = 2;
/** Milliseconds that an attempt is charged at least: a webhook whose attempts took no time would always be next. */
export const USED_MIN_MS = 0.1;

/**
 * Jobs that may wait for their first attempt however few are answered, as at the start. Beyond that number, no more may
 * wait than `ANSWERED_OVER_MS` brought answers.
 */
export const READY_BELOW_JOBS = 500;
/**
 * Jobs in hand below which more are taken in. What is answered is written in the order of the log of events, behind an
 * answer that may be half a second late: 5,000 deliveries a second to endpoints of 200 ms need 3,500.
 */
export const READY_BELOW_IN_HAND = 6_000;
/**
 * Milliseconds after which a waiting caller is let in at the latest, so that one stuck webhook does not hold up all.
 */
export const READY_WITHIN_MS = 500;

/** Results in one statement: `sql_per_delivery` was 0.021 with it. */
export const RESULTS_BATCH_MAX = 500;
/** Milliseconds that a result waits for others, so that one statement writes many. */
export const FLUSH_AFTER_MS = 5;
/** Under load, results wait twice as long as the last statement took: two thirds of the time are for other work. */
export const FLUSH_AFTER_TIMES = 2;
export const FLUSH_AFTER_MAX_MS = 10;
/** Unwritten results above which nothing is sent: the database is away. */
export const RESULTS_MAX = 5_000;
/** Milliseconds until a failed write is tried again, doubled up to the maximum: `recovery_postgres_s` was 0.29. */
export const WRITE_RETRY_FIRST_MS = 100;
export const WRITE_RETRY_MAX_MS = 2_000;
/** Milliseconds within which a retry wakes the reader, which would otherwise look too late. */
export const SOON_MS = 1_000;

/** Webhooks loaded by one statement. */
export const LOAD_MAX = 200;

/**
 * Milliseconds between looks of the reader. Calls between replicas may get lost: a change or a free shard is seen this
 * late then.
 */
export const POLL_MS = 1_000;
/** Milliseconds within which due retries are read together. */
export const TOGETHER_MS = 50;
/** Rows of one read of what is due. */
export const READ_MAX = 500;
