import { randomUUID } from 'node:crypto';
import { beforeAll, describe } from '@jest/globals';
import { AppError } from '@junction/errors';
import { useBroker, useDatabase } from '@junction/testing';
import { text } from '../../test/consumer-stage.js';
import { messagingDatabase } from '../../test/messaging-database.js';
import { silentLog } from '../../test/silent-log.js';
import { classifyError } from '../classify-error.js';
import { kafkaClient } from '../kafka/kafka-client.js';
import { operations } from '../operations/operations.js';
import { RecordError } from '../record-error.js';
import { inboxTck, type OpenInbox } from '../testing/inbox-tck.js';
import { memoryInbox } from '../testing/memory-inbox.js';
import { OffsetMovedError } from './offsets.js';
import { type Handle, processBatch } from './process-batch.js';

const database = useDatabase(messagingDatabase);
const { brokers } = useBroker();
const kafka = kafkaClient({ brokers, clientId: 'tck', log: silentLog });

beforeAll(async () => {
  await database().pool.query('create table effects (consumer text, value text, n serial)');
});

const postgresInbox: OpenInbox = async (behaviourOf) => {
  const { pool } = database();
  const consumer = randomUUID();
  let isMended = false;
  const been = new Set<string>();
  const handle: Handle = async (records, tx) => {
    for (const record of records) {
      const value = text(record);
      await tx.query('insert into effects (consumer, value) values ($1, $2)', [consumer, value]);
      const behaviour = isMended ? 'good' : behaviourOf(value);
      if (behaviour === 'bad') throw new RecordError('refused', 'It is refused.');
      if (behaviour === 'broken') throw new TypeError('a mistake of the handler');
      if (behaviour === 'away' && !been.has(value)) {
        been.add(value);
        throw new AppError('unavailable', 'away', 'Auth is away.');
      }
    }
  };
  await pool.query(
    `insert into consumer_offsets (consumer, topic, partition, next_offset)
     values ($1, 'counters', 0, 0)`,
    [consumer],
  );
  const rows = async (sql: string): Promise<string[]> =>
    (await pool.query<{ value: string }>(sql, [consumer])).rows.map(({ value }) => value);
  const context = { topic: 'counters', ordered: true, handle, log: silentLog };
  const parked = () => rows('select key as value from parked_keys where consumer = $1 order by 1');

  return {
    async deliver(records, from) {
      try {
        const to = from + BigInt(records.length);
        const batch = { partition: 0, from, to, records };
        return (await processBatch({ pool, consumer, ...context }, batch)).count;
      } catch (error) {
        if (error instanceof OffsetMovedError) return 0;
        if (classifyError(error) === 'infrastructure') return 0;
        throw error;
      }
    },
    async mendAndRedrive() {
      isMended = true;
      const consumers = [{ group: consumer, topics: ['counters'], ordered: true, handle }];
      const ops = operations({ pool, kafka, topicPrefix: '', consumers, log: silentLog });
      for (const key of await parked()) {
        await ops.redriveKey({ consumer, topic: 'counters', key }, { by: 'tck' });
      }
    },
    effects: () => rows('select value from effects where consumer = $1 order by n'),
    letters: async () =>
      (
        await rows(`select record_offset || ' ' || reason_code as value from dead_letters
                     where consumer = $1 and resolved_at is null`)
      ).sort(),
    parked,
  };
};

describe('an inbox', () => {
  inboxTck('on Postgres', postgresInbox, memoryInbox, 60);
});
