import type { Meter } from '@junction/service/process';
import type { Result } from '../../application/job.js';

const SECOND_MS = 1_000;
const DURATION_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const DELAY_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/** Registers what counts results that are written. Its labels have few values: never a user, a webhook or a host. */
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
