import { atMost } from '@junction/async';
import type { Kafka, Message, Producer, TopicMessages } from 'kafkajs';
import type { OutRecord, ProducerPort } from './kafka-port.js';
import type { Log } from './log.js';
import { byKey } from './partitioner.js';

const ALL_IN_SYNC_REPLICAS = -1;

/** A start does not wait for a Kafka that is not there, nor does a stop. */
const FIRST_TRY_MAX_MS = 1_000;
const CLOSE_MAX_MS = 2_000;

/**
 * A producer that is replaced after a failure: kafkajs reports no crash of a producer, so a failed one is not trusted
 * again. The producer is not idempotent: that would allow only one request for each broker at a time, and a retry could
 * reuse a sequence number and lose a record. Consumers drop repetitions.
 */
export async function supervisedProducer(connect: () => Kafka, log: Log): Promise<ProducerPort> {
  let current: Opened | undefined;
  let closed = false;

  const open = (): Opened => ({ producer: connected(connect()), users: 0, isDropped: false });
  const drop = (failed: Opened): void => {
    if (current === failed) current = undefined;
    failed.isDropped = true;
    leave(failed, log);
  };

  const sendBatch = async (records: readonly OutRecord[]): Promise<void> => {
    if (closed) throw new Error('The producer is closed: open another one to send.');
    if (records.length === 0) return;

    const opened = (current ??= open());
    opened.users += 1;
    try {
      const producer = await opened.producer;
      await producer.sendBatch({ acks: ALL_IN_SYNC_REPLICAS, topicMessages: byTopic(records) });
    } catch (error) {
      drop(opened);
      throw error;
    } finally {
      opened.users -= 1;
      leave(opened, log);
    }
  };

  const first = (current = open());
  const tried = first.producer.catch((error: unknown) => {
    log.warn({ err: error }, 'kafka: no connection yet; the next record tries again');
    drop(first);
  });
  await atMost(FIRST_TRY_MAX_MS, tried);

  return {
    sendBatch,
    async close() {
      closed = true;
      const ended = current?.producer.then(async (producer) => producer.disconnect());
      current = undefined;
      await atMost(
        CLOSE_MAX_MS,
        Promise.resolve(ended).catch(() => undefined),
      );
    },
  };
}

interface Opened {
  readonly producer: Promise<Producer>;
  /** Batches under way. */
  users: number;
  /** True after a failure: no further batch is sent with this producer. */
  isDropped: boolean;
}

async function connected(kafka: Kafka): Promise<Producer> {
  const producer = kafka.producer({
    createPartitioner: byKey,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  return producer;
}

/** Disconnects a dropped producer after its last batch: a batch whose connection is cut would be sent again. */
function leave({ producer, users, isDropped }: Opened, log: Log): void {
  if (!isDropped || users > 0) return;
  producer
    .then((producer) => producer.disconnect())
    .catch((error: unknown) => log.debug({ err: error }, 'kafka: producer did not disconnect'));
}

function byTopic(records: readonly OutRecord[]): TopicMessages[] {
  const topics = new Map<string, Message[]>();
  for (const { topic, key, value, headers } of records) {
    const message = { key, value, headers: { ...headers } };
    const messages = topics.get(topic);
    if (messages === undefined) topics.set(topic, [message]);
    else messages.push(message);
  }
  return Array.from(topics, ([topic, messages]) => ({ topic, messages }));
}
