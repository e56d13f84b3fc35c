import { undecodableBatches } from '@junction/messaging';
import type pg from 'pg';
import { type Check, problem } from './finding.js';

/**
 * Checks that all batches that consumers fetched could be decoded: no other check reports that records of a producer
 * are missing.
 */
export const recordCheck = (pool: pg.Pool): Check => ({
  name: 'records',
  needs: 'migrations',
  remedy: 'Ask again.',
  async look() {
    const undecodable = await undecodableBatches(pool);
    if (undecodable.length === 0) return 'Every batch of Kafka could be decoded.';
    return undecodable.map(({ consumer, topic, count }) =>
      problem(
        `${consumer} could not decode ${count} ${count === 1 ? 'batch' : 'batches'} of ${topic}: their records are missing.`,
        '`junction dlq list --reason batch_undecodable` says which, and why. Have their producers send them again, then drop the dead letters.',
      ),
    );
  },
});
