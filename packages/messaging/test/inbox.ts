import { randomUUID } from 'node:crypto';
import { beforeAll, expect } from '@jest/globals';
import { type InboundRecord, kafkaClient, silentLog } from '@junction/kafka';
import { useDatabase } from '@junction/testing';
import type { Pool, PoolClient } from 'pg';
import { classifyError } from '../src/consumer/classify-error.js';
import type { Handle, HandleAtOnce } from '../src/consumer/handle.js';
import { OffsetMovedError } from '../src/consumer/offsets.js';
import { processBatch, processBatches } from '../src/consumer/process-batch.js';
import { operations } from '../src/operations.js';
import { refuse, text } from './consumer-stage.js';
import { messagingDatabase } from './messaging-database.js';

const PARTITIONS = 3;
const ROUNDS_MAX = 1_000;

type Message = Partial<Pick<InboundRecord, 'key' | 'headers' | 'value' | 'timestamp'>>;

export interface InboxOptions {
  /** Handler. Absent: stores an effect for each record, and refuses values that begin with "bad". */
  readonly handle?: Handle;
  readonly handleAtOnce?: HandleAtOnce;
  readonly dropDuplicates?: boolean;
}

/** Provides consumers without Kafka: a test hands them their batches. */
export function useInboxes() {
  const database = useDatabase(messagingDatabase);
  beforeAll(async () => {
    // A row is inserted each time a record takes effect: no constraint keeps a second one out.
    await database().pool.query(`
      create table effects (consumer text, value text, tx xid8 default pg_current_xact_id(), n serial)`);
  });
  return { database, open: (options: InboxOptions = {}) => openInbox(database().pool, options) };
}

export type Inbox = Awaited<ReturnType<typeof openInbox>>;

async function openInbox(pool: Pool, options: InboxOptions) {
  const consumer = randomUUID();
  const topic = randomUUID();
  const next = Array.from({ length: PARTITIONS }, () => 0);
  let isMended = false;
  await pool.query(
    `insert into consumer_offsets (consumer, topic, partition, next_offset)
     select $1, $2, generate_series(0, $3 - 1), 0`,
    [consumer, topic, PARTITIONS],
  );

  const store = async (records: readonly InboundRecord[], tx: PoolClient): Promise<void> => {
    for (const record of records) {
      await tx.query('insert into effects (consumer, value) values ($1, $2)', [
        consumer,
        text(record),
      ]);
    }
  };
  const refuseBad = async (records: readonly InboundRecord[], tx: PoolClient): Promise<void> => {
    if (!isMended && records.some((record) => text(record).startsWith('bad'))) await refuse();
    await store(records, tx);
  };
  const { handle = refuseBad, dropDuplicates = false } = options;
  const context = { ...options, pool, consumer, topic, dropDuplicates, handle, log: silentLog };

  const batchOf = (partition: number, messages: readonly (string | Message)[]) => {
    const from = next[partition] ?? 0;
    const records = messages.map((message, index) =>
      recordOf(topic, partition, from + index, message),
    );
    const [at, to] = [BigInt(from), BigInt(from + records.length)];
    return { partition, topicId: undefined, from: at, to, records };
  };
  const rows = async <T = unknown>(sql: string): Promise<readonly T[]> =>
    (await pool.query<{ value: T }>(sql, [consumer])).rows.map(({ value }) => value);

  /** Takes one batch of the first partition; returns how many records were taken: none if it failed. */
  const take = async (messages: readonly (string | Message)[]): Promise<number> => {
    const batch = batchOf(0, messages);
    try {
      const { count } = await processBatch(context, batch);
      // The batch comes again as after a rebalance, when another member has these records too.
      await expect(processBatch(context, batch)).rejects.toThrow(OffsetMovedError);
      next[0] = (next[0] ?? 0) + count;
      return count;
    } catch (error) {
      if (classifyError(error) === 'infrastructure') return 0;
      throw error;
    }
  };

  return {
    consumer,
    topic,
    store,
    refuseBad,
    /** Makes the handler refuse nothing from now on. */
    mend: () => {
      isMended = true;
    },
    /** Takes a batch for each partition, from its first record on. */
    process: (...partitions: readonly (readonly (string | Message)[])[]) =>
      processBatches(
        context,
        partitions.map((messages, partition) => batchOf(partition, messages)),
      ),
    /** Takes batches until all records were taken. */
    async deliver(...messages: readonly (string | Message)[]): Promise<void> {
      for (let done = 0, round = 0; done < messages.length; round++) {
        done += await take(messages.slice(done));
        if (round > ROUNDS_MAX) throw new Error('The inbox makes no progress.');
      }
    },
    effects: () => rows<string>('select value from effects where consumer = $1 order by n'),
    offsets: () =>
      rows(
        'select next_offset as value from consumer_offsets where consumer = $1 order by partition',
      ),
    transactions: () => rows('select distinct tx as value from effects where consumer = $1'),
    letters: () =>
      rows(`select to_jsonb(d) || jsonb_build_object('payload', convert_from(payload, 'utf8')) as value
              from dead_letters d where consumer = $1 order by partition, record_offset`),
    /** Returns the records in the outbox for the dead-letter topic. */
    notices: () =>
      rows(`select convert_from(payload, 'utf8')::jsonb as value from outbox
             where headers->>'ce_source' = 'junction/' || $1 order by id`),
    moveOffset: (partition: number, offset: number) =>
      pool.query(
        'update consumer_offsets set next_offset = $3 where consumer = $1 and partition = $2',
        [consumer, partition, offset],
      ),
    ops: operations({
      pool,
      // Dead letters are handled without Kafka.
      kafka: kafkaClient({ brokers: ['127.0.0.1:9'], clientId: 'inbox', log: silentLog }),
      topicPrefix: '',
      consumers: [{ group: consumer, topics: [topic], handle }],
      log: silentLog,
    }),
  };
}

function recordOf(
  topic: string,
  partition: number,
  offset: number,
  message: string | Message,
): InboundRecord {
  const given = typeof message === 'string' ? { value: Buffer.from(message) } : message;
  return {
    topic,
    partition,
    offset: BigInt(offset),
    key: 'k',
    headers: {},
    value: Buffer.of(),
    timestamp: new Date(0),
    ...given,
  };
}
