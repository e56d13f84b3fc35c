import { type BackgroundJob, repeat } from '@junction/async';
import { operations, silentLog } from '@junction/messaging';
import type { Stage } from './stage.js';

const LOOK_EVERY_MS = 1_000;

/** Lets each partition whose offset is lost go on at the beginning of its log, as an operator would. */
export function operate({ pool, kafka }: Pick<Stage, 'pool' | 'kafka'>): BackgroundJob {
  const { consumers, reset } = operations({
    pool,
    kafka,
    topicPrefix: '',
    consumers: [],
    log: silentLog,
  });
  return repeat(
    LOOK_EVERY_MS,
    async () => {
      for (const at of await consumers()) {
        if (at.reason !== undefined) await reset(at, { to: 'beginning' });
      }
    },
    // Postgres or Kafka is away: the next look finds the same.
    () => undefined,
  );
}
