import { repeat } from '@junction/async';
import type { KafkaPort } from '@junction/messaging';
import { type Meter, type Runtime, serverAway } from '../process/index.js';
import type { Platform } from './platform.js';

const ASKED_EVERY_MS = 5_000;
const SECOND_MS = 1_000;

export interface WatchOptions {
  readonly meter: Meter;
  readonly pool: { query(text: string): Promise<unknown> };
  /** Asks Kafka. Closed with the service. */
  readonly probe: ReturnType<KafkaPort['probe']>;
  readonly runtime: Pick<Runtime, 'log' | 'closing'>;
}

/**
 * Watches Postgres and Kafka, and returns what watches more. The silence is measured, not the failures: a question that
 * hangs counts like one that is refused, and one that fails alone for nothing. The log has the first failure, and of an
 * outage all of them, which it makes few lines of.
 */
export function watchDependencies({
  meter,
  pool,
  probe,
  runtime: { log, closing },
}: WatchOptions): Platform<unknown, never>['watch'] {
  const answeredMs = new Map<string, number>();
  meter.gauge(
    'junction_dependency_silence_seconds',
    'Time for which this replica has had no answer from what it asks every five seconds: kafka, postgres or auth.',
    ['dependency'],
    () =>
      Array.from(answeredMs, ([dependency, ms]) => ({
        value: (performance.now() - ms) / SECOND_MS,
        labels: { dependency },
      })),
  );
  const watch: Platform<unknown, never>['watch'] = (dependency, ask, servers) => {
    let isKnown = false;
    let isStopping = false;
    answeredMs.set(dependency, performance.now());
    const asking = repeat(
      ASKED_EVERY_MS,
      async () => {
        const askedMs = performance.now();
        await ask();
        for (const server of servers) log.answered(server, askedMs);
        answeredMs.set(dependency, performance.now());
        if (isKnown && !isStopping)
          log.info({ component: dependency }, 'a dependency answers again');
        isKnown = false;
      },
      (error) => {
        // Each failure of an outage counts: the log tells that it is over after the first answer without one.
        const isTold = isKnown && serverAway(error) === undefined;
        if (!isTold && !isStopping) {
          log.warn({ err: error, component: dependency }, 'a dependency is silent');
        }
        isKnown = true;
      },
    );
    closing.add(`watch of ${dependency}`, asking, (asking) => {
      isStopping = true; // Connections are broken by a stop, too.
      void asking.stop(); // An answer may never come.
    });
  };
  watch('postgres', () => pool.query('select'), ['Postgres']);
  closing.add('kafka probe', probe, (probe) => void probe.close());
  watch('kafka', probe.ask, ['Kafka']);
  return watch;
}
