import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Handle,
  type KafkaPort,
  type Log,
  type Prepare,
  startConsumer,
} from '@junction/messaging';
import type pg from 'pg';
import { READERS } from '../domain.js';
import { delayConnections } from './busy-pool.js';

/** Batches are so small and so slow that one is nearly always in hand when the process is killed or paused. */
const BATCH_MAX = 10;
const WORK_MS = 20;
/**
 * Within a transaction a pause that is long enough ends in the database's timeout. Before it nothing but the
 * offset in the table tells of another member: that is where most pauses are to fall.
 */
const QUEUE_MS = 100;

/**
 * Milliseconds until prepared records are ready, at most. The waits differ, so records become ready in another
 * order.
 */
const READY_MAX_MS = 200;

type Records = Parameters<Handle>[0];

/** Runs a member of each consumer group until the process is killed. Notes every step whose repetition would show. */
export async function consume(
  name: string,
  pool: pg.Pool,
  kafka: KafkaPort,
  log: Log,
): Promise<void> {
  delayConnections(pool, QUEUE_MS);
  const by = `${name} (process ${process.pid})`;
  for (const { consumer, topic, sequenced, isAhead } of READERS) {
    const handle: Handle = async (records, tx) => {
      const fresh = sequenced ? records.map(() => true) : await meet(tx, consumer, records);
      await note(tx, { consumer, by, records, fresh });
      await sleep(WORK_MS);
    };
    await startConsumer({
      pool,
      kafka,
      topicPrefix: '',
      group: consumer,
      topics: [topic],
      dropDuplicates: sequenced,
      handle,
      ...(isAhead && { prepare }),
      batchMax: BATCH_MAX,
      log,
    });
  }
}

const prepare: Prepare = async (records) => {
  await sleep(WORK_MS);
  return records.map((record) => ({ ...record, ready: sleep(Math.random() * READY_MAX_MS) }));
};

/** Which of these it had not met before, by their ids: as every handler without `dropDuplicates` must. */
async function meet(tx: pg.PoolClient, consumer: string, records: Records): Promise<boolean[]> {
  const { rows } = await tx.query<{ event_id: string }>(
    `insert into met (consumer, event_id) select $1, unnest($2::uuid[])
         on conflict do nothing returning event_id`,
    [consumer, records.map(({ headers }) => headers['ce_id'])],
  );
  const unmet = new Set(rows.map(({ event_id }) => event_id));
  return records.map(({ headers }) => unmet.delete(headers['ce_id'] ?? ''));
}

interface Handled {
  readonly consumer: string;
  readonly by: string;
  readonly records: Records;
  readonly fresh: readonly boolean[];
}

async function note(tx: pg.PoolClient, { consumer, by, records, fresh }: Handled): Promise<void> {
  await tx.query(
    `insert into effects (consumer, by, topic, partition, record_offset, key, event_id, fresh)
     select $1, $2, *
       from unnest($3::text[], $4::int[], $5::bigint[], $6::text[], $7::uuid[], $8::boolean[])`,
    [
      consumer,
      by,
      records.map(({ topic }) => topic),
      records.map(({ partition }) => partition),
      records.map(({ offset }) => offset),
      records.map(({ key }) => key),
      records.map(({ headers }) => headers['ce_id']),
      fresh,
    ],
  );
}
