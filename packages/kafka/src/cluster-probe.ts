import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import type { ClusterProbe } from './kafka-port.js';

/** Errors that a broker answers with: it is there, whatever it says of the topic. */
const ANSWERS: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'TOPIC_AUTHORIZATION_FAILED',
  'LEADER_NOT_AVAILABLE',
]);

/**
 * Asks for one topic, because metadata of none is metadata of all to kafkajs. Keeps one connection: a login for each
 * question would be work for the brokers. After a failure the connection is made anew.
 */
export function clusterProbe(connect: () => Kafka, topic: string): ClusterProbe {
  let kept: Admin | undefined;
  const drop = async (): Promise<void> => {
    const admin = kept;
    kept = undefined;
    await admin?.disconnect();
  };
  return {
    async ask() {
      kept ??= connect().admin();
      try {
        await kept.connect();
        await kept.fetchTopicMetadata({ topics: [topic] });
      } catch (error) {
        // kafkajs repeats the last of these by itself, and wraps it when it gives up.
        const said = error instanceof kafkajs.KafkaJSNumberOfRetriesExceeded ? error.cause : error;
        if (said instanceof kafkajs.KafkaJSProtocolError && ANSWERS.has(said.type)) return;
        await drop().catch(() => undefined);
        throw error;
      }
    },
    close: drop,
  };
}
