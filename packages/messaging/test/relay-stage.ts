import { randomUUID } from 'node:crypto';
import { afterEach } from '@jest/globals';
import { postgresNotifier } from '@junction/eventsourcing/postgres';
import {
  type InboundRecord,
  type KafkaPort,
  kafkaClient,
  type OutRecord,
  silentLog,
} from '@junction/kafka';
import { useBroker, useDatabase } from '@junction/testing';
import { Pool } from 'pg';
import { type RelayOptions, startRelay } from '../src/relay/relay.js';
import { messagingDatabase } from './messaging-database.js';
import { readTopic } from './read-topic.js';

const QUICK_LEASE = { renewMs: 200, expiryMs: 900 };

/** Opens an outbox for the tests of one file: after each its relays and readers stop, and the outbox is empty. */
export function useRelays() {
  const database = useDatabase(messagingDatabase);
  const { brokers, prefix } = useBroker();
  const kafka = kafkaClient({ brokers, clientId: 'relay-test', log: silentLog });
  const open: { stop(): Promise<unknown> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map(async (each) => each.stop()));
    await database().pool.query('truncate outbox; delete from relay_owners');
    await database().pool.query('update relay_leases set owner = null');
  });

  return {
    database,
    prefix,
    kafka,
    open,
    async start(options: Partial<RelayOptions> = {}) {
      const pool = new Pool({ connectionString: database().url, max: 4, pipeline: true });
      pool.on('error', () => undefined);
      const notifier = postgresNotifier({ pool, onError: () => undefined });
      const relay = await startRelay({
        pool,
        kafka,
        notifier,
        topicPrefix: prefix,
        owner: 'test',
        log: silentLog,
        lease: QUICK_LEASE,
        ...options,
      });
      let ending: Promise<void> | undefined;
      const stop = () =>
        (ending ??= relay
          .stop()
          .then(notifier.close)
          .then(async () => pool.end()));
      open.push({ stop });
      return { ...relay, stop };
    },
    /** Returns the real broker, which gets a batch when `send` passes it on. */
    sendingBy: (
      send: (records: readonly OutRecord[], pass: () => Promise<void>) => Promise<void>,
    ): KafkaPort => ({
      ...kafka,
      async producer() {
        const producer = await kafka.producer();
        const sendBatch = async (records: readonly OutRecord[]) =>
          send(records, async () => producer.sendBatch(records));
        return { ...producer, sendBatch };
      },
    }),
    read(topic: string) {
      const reading = readTopic(kafka, `${prefix}${topic}`);
      open.push(reading);
      return reading;
    },
    async newTopic(partitions = 4): Promise<string> {
      const name = randomUUID();
      await kafka.admin().ensureTopics([{ name, partitions, retentionMs: -1 }], prefix);
      return name;
    },
    /** Writes rows without a call to any relay. */
    insert: (topic: string, rows: readonly (readonly [string, string])[]) =>
      database().pool.query(
        `insert into outbox (aggregatetype, aggregateid, type, headers, payload)
         select $1, key, 'counted',
                jsonb_build_object('ce_id', gen_random_uuid(), 'ce_type', 'counted'),
                convert_to(value, 'utf8')
           from unnest($2::text[], $3::text[]) with ordinality as r (key, value, n) order by n`,
        [topic, rows.map(([key]) => key), rows.map(([, value]) => value)],
      ),
    async rowsLeft(): Promise<number> {
      const { rows } = await database().pool.query<{ n: number }>(
        'select count(*)::int as n from outbox',
      );
      return rows[0]?.n ?? -1;
    },
  };
}

export const valuesOf = (records: readonly InboundRecord[], key: string): string[] =>
  records.filter((record) => record.key === key).map(({ value }) => value?.toString() ?? '');

/** Drops repetitions as a consumer does: a lower or equal number is a repetition. */
export const withoutRepetitions = (values: readonly string[]): string[] =>
  values.reduce<string[]>(
    (kept, value) => (Number(value) > Number(kept.at(-1) ?? 0) ? [...kept, value] : kept),
    [],
  );
