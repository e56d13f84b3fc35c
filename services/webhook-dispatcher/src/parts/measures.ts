import { remembered } from '@junction/async';
import type { Meter } from '@junction/service/process';
import {
  type Backlog,
  COUNTED_MAX,
  deliveryBacklog,
  WEBHOOKS_MAX,
  webhooksByStatus,
} from '../adapters/postgres/operators/backlog.js';
import type { Result } from '../application/job.js';
import type { Dispatch } from '../application/sending/ports.js';
import type { DispatcherPlatform } from './tables.js';

const SECOND_MS = 1_000;
/**
 * Milliseconds for which a read answers scrapes: two replicas scraped in one moment read Postgres twice, one replica
 * that is scraped twice reads once.
 */
const BACKLOG_FRESH_MS = 5 * SECOND_MS;
const WEBHOOKS_FRESH_MS = 60 * SECOND_MS;
const DURATION_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const DELAY_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/** Gauge of what is read at a scrape. One with a label has a value for each value of the label. */
type Gauge<Read> = readonly [
  name: string,
  help: string,
  valueOf: (read: Read) => number | Readonly<Record<string, number>>,
  label?: string,
];

/** Gauges that are the same in all replicas. */
const BACKLOG: readonly Gauge<Backlog>[] = [
  [
    'junction_deliveries_pending',
    `Deliveries that have a next attempt: pending for the first, retrying for another; counted up to ${COUNTED_MAX}.`,
    ({ pending, retrying }) => ({ pending, retrying }),
    'status',
  ],
  [
    'junction_deliveries_due',
    `Deliveries that are due, to webhooks that are active, well and without a rate limit; of ${WEBHOOKS_MAX} webhooks at most.`,
    ({ due }) => due,
  ],
  [
    'junction_delivery_oldest_due_age_seconds',
    'How long the oldest of the due deliveries has been due; those under way are among them.',
    ({ oldestDueS }) => oldestDueS,
  ],
  ['junction_webhooks_failing', 'Webhooks whose last attempt failed.', ({ failing }) => failing],
  [
    'junction_circuits',
    'Webhooks that are left alone for failing: open until their rest is over, half_open until a probe was answered.',
    ({ circuitsOpen, circuitsHalfOpen }) => ({ open: circuitsOpen, half_open: circuitsHalfOpen }),
    'state',
  ],
];

const WEBHOOKS: Gauge<ReadonlyMap<string, number>> = [
  'junction_webhooks',
  'Webhooks by status, read once a minute.',
  (counted) => ({ active: 0, paused: 0, disabled: 0, ...Object.fromEntries(counted) }),
  'status',
];

/** Gauges of this replica. */
const DISPATCH: readonly Gauge<Dispatch>[] = [
  ['junction_shards_owned', 'Shards that this replica sends for, of 48.', (one) => one.shards()],
  [
    'junction_deliveries_under_way',
    'Requests of this replica that wait for their answer, by whether their receivers are known to answer soon.',
    (one) => one.underWay(),
    'receivers',
  ],
];

/** Registers the gauges of what waits to be sent and of what is under way. */
export function measureDispatch({ meter, pool }: DispatcherPlatform, dispatch: Dispatch): void {
  const backlog = remembered(BACKLOG_FRESH_MS, () => deliveryBacklog(pool));
  for (const gauge of BACKLOG) register(meter, gauge, backlog);
  const webhooks = remembered(WEBHOOKS_FRESH_MS, () => webhooksByStatus(pool));
  register(meter, WEBHOOKS, webhooks);
  for (const gauge of DISPATCH) register(meter, gauge, async () => dispatch);
}

function register<Read>(
  meter: Meter,
  [name, help, valueOf, label = '']: Gauge<Read>,
  read: () => Promise<Read>,
): void {
  meter.gauge(name, help, label === '' ? [] : [label], async () => {
    const value = valueOf(await read());
    if (typeof value === 'number') return [{ value }];
    return Object.entries(value).map(([key, value]) => ({ value, labels: { [label]: key } }));
  });
}

/** Registers what counts changes of circuits and shards. */
export function changeMeasures(meter: Meter) {
  const circuits = meter.counter(
    'junction_circuit_changes_total',
    'Circuits that opened, half-opened for a probe, or closed, in this replica.',
    ['to'],
  );
  const shards = meter.counter(
    'junction_shard_changes_total',
    'Shards that came to this replica or left it.',
    ['change'],
  );
  return { circuits, shards };
}

/**
 * Registers what counts results that are written. Its labels have few values: never a user, a webhook or a host.
 */
export function resultMeasures(meter: Meter): (results: readonly Result[]) => void {
  const attempts = meter.counter(
    'junction_delivery_attempts_total',
    'Attempts by what came of them: succeeded, http_4xx and its like, or the code of the failure.',
    ['result'],
  );
  const duration = meter.histogram(
    'junction_delivery_attempt_duration_seconds',
    'From the beginning of an attempt to its end, by whether it succeeded.',
    DURATION_S,
    ['outcome'],
  );
  const delay = meter.histogram(
    'junction_delivery_first_attempt_delay_seconds',
    'From when an event came to when its delivery was attempted first.',
    DELAY_S,
  );
  const ended = meter.counter(
    'junction_deliveries_ended_total',
    'Deliveries that have no further attempt: succeeded, exhausted or refused.',
    ['status'],
  );
  const observe = ({ job, record }: Result): void => {
    const outcome = record.outcome.kind === 'succeeded' ? 'succeeded' : 'failed';
    duration(record.totalMs / SECOND_MS, { outcome });
    if (job.attempt !== 1) return;
    const waitedMs = record.startedAt.getTime() - madeAtMs(job.deliveryId);
    delay(Math.max(0, waitedMs) / SECOND_MS);
  };

  return (results) => {
    for (const result of results) observe(result);
    count(
      results.map(({ record }) => classOf(record.result)),
      (result, times) => attempts({ result }, times),
    );
    const ends = results.filter(({ fact }) => fact.type !== 'delivery.attempt_failed');
    count(
      ends.map(({ fact }) => fact.type.slice('delivery.'.length)),
      (status, times) => ended({ status }, times),
    );
  };
}

/** Returns when a delivery was made, in milliseconds since 1970: the time in its id (RFC 9562, section 5.7). */
const madeAtMs = (deliveryId: string): number =>
  Number.parseInt(deliveryId.slice(4, 12) + deliveryId.slice(13, 17), 16);

/** Returns `http_5xx` for `http_503`: a receiver may answer with any number. */
const classOf = (result: string): string => result.replace(/^(http_\d)\d\d$/, '$1xx');

function count(words: readonly string[], say: (word: string, times: number) => void): void {
  const times = new Map<string, number>();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  for (const [word, n] of times) say(word, n);
}
