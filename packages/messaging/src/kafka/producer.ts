import { type Kafka, type Message, Partitioners, type Producer, type TopicMessages } from 'kafkajs';
import { atMost } from '../at-most.js';
import type { Log } from '../log.js';
import type { OutRecord, ProducerPort } from './kafka-port.js';

const ALL_IN_SYNC_REPLICAS = -1;

/** A start does not wait for a Kafka that is not there, nor does a stop. */
const FIRST_TRY_MAX_MS = 1_000;
const CLOSE_MAX_MS = 2_000;

/**
 * A producer that a failure replaces: kafkajs reports no crash of a producer, so one that failed is
 * not trusted again. Not idempotent: that allows one request for each broker at a time, and
 * a retry can reuse a sequence number and lose a record. Repetitions are the consumer's to drop.
 */
export async function supervisedProducer(connect: () => Kafka, log: Log): Promise<ProducerPort> {
  let current: Promise<Producer> | undefined;
  let closed = false;

  const open = async (): Promise<Producer> => {
    const producer = connect().producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
    await producer.connect();
    return producer;
  };

  const drop = (failed: Promise<Producer>): void => {
    if (current === failed) current = undefined;
    failed
      .then((producer) => producer.disconnect())
      .catch((error: unknown) => log.debug({ err: error }, 'kafka: producer did not disconnect'));
  };

  const sendBatch = async (records: readonly OutRecord[]): Promise<void> => {
    if (closed) throw new Error('The producer is closed: open another one to send.');
    if (records.length === 0) return;

    const opened = (current ??= open());
    try {
      const producer = await opened;
      await producer.sendBatch({ acks: ALL_IN_SYNC_REPLICAS, topicMessages: byTopic(records) });
    } catch (error) {
      drop(opened);
      throw error;
    }
  };

  current = open();
  const first = current;
  const tried = first.catch((error: unknown) => {
    log.warn({ err: error }, 'kafka: no connection yet; the next record tries again');
    drop(first);
  });
  await atMost(FIRST_TRY_MAX_MS, tried);

  return {
    sendBatch,
    async close() {
      closed = true;
      const ended = current?.then(async (producer) => producer.disconnect());
      current = undefined;
      await atMost(
        CLOSE_MAX_MS,
        Promise.resolve(ended).catch(() => undefined),
      );
    },
  };
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
