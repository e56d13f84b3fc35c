import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import { describe } from './describe-topics.js';
import type { AdminPort } from './kafka-port.js';
import { seenTopics } from './seen-topics.js';
import { type TopicSpec, topicConfig, topicName } from './topics.js';

/** Value that leaves the number of replicas to the cluster. */
const CLUSTER_DEFAULT = -1;

const SERVED_WITHIN_MS = 30_000;
const POLL_MS = 100;

/** Opens a connection for each call: a process makes only a handful of them. */
export function kafkaAdmin(connect: () => Kafka): AdminPort {
  const withAdmin = async <T>(work: (admin: Admin) => Promise<T>): Promise<T> => {
    const admin = connect().admin();
    try {
      await admin.connect();
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  };

  return {
    ensureTopics: (specs, prefix = '') => withAdmin((admin) => createMissing(admin, specs, prefix)),

    describeTopics: (names) => withAdmin((admin) => describe(admin, names)),

    deleteTopics: (names) =>
      withAdmin(async (admin) => {
        await admin.deleteTopics({ topics: [...names] });
        // The controller answers before the brokers have forgotten them, and a topic that is known is not created.
        while ((await seenTopics(admin, names)).topics.length > 0) await pause(POLL_MS);
      }),

    logBounds: (topic, time) =>
      withAdmin(async (admin) => {
        const topicId = await idOf(admin, topic);
        const offsets = await admin.fetchTopicOffsets(topic);
        const inTime = time ? await offsetsAt(admin, topic, time) : undefined;
        // Ends are asked for by name, so the topic may have become another one meanwhile.
        if ((await idOf(admin, topic)) !== topicId) throw new Error(`${topic} was made anew.`);
        return new Map(
          offsets.map(({ partition, low, high }) => {
            const bounds = { topicId, low: BigInt(low), high: BigInt(high) };
            return [partition, { ...bounds, inTime: inTime?.get(partition) }];
          }),
        );
      }),
  };
}

const idOf = async (admin: Admin, topic: string): Promise<string | undefined> =>
  (await seenTopics(admin, [topic])).topics[0]?.id;

async function offsetsAt(admin: Admin, topic: string, time: Date): Promise<Map<number, bigint>> {
  // Kafka gives numbers below 0 another meaning: -1 is the end.
  const timeMs = Math.max(0, time.getTime());
  const offsets = await admin.fetchTopicOffsetsByTimestamp(topic, timeMs);
  return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
}

async function createMissing(
  admin: Admin,
  specs: readonly TopicSpec[],
  prefix: string,
): Promise<readonly string[]> {
  const existing = new Set(await admin.listTopics());
  const missing = specs
    .map((spec) => ({ ...spec, name: topicName(prefix, spec.name) }))
    .filter(({ name }) => !existing.has(name));
  if (missing.length === 0) return [];

  // When several processes start together, one creates a topic; for the others this is no error.
  await admin.createTopics({
    waitForLeaders: false,
    topics: missing.map(({ name, partitions, retentionMs }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor: CLUSTER_DEFAULT,
      configEntries: Object.entries(topicConfig(retentionMs)).map(([name, value]) => ({
        name,
        value,
      })),
    })),
  });
  const names = missing.map(({ name }) => name);
  await untilServed(admin, names);
  return names;
}

/**
 * Waits until every partition of these topics has a leader, and that leader serves it. Metadata names the leader first;
 * until the leader has opened the log it refuses, and a producer that then tries again repeats what the other
 * partitions have taken. kafkajs waits for the leader alone, and gives up early.
 */
async function untilServed(admin: Admin, topics: string[]): Promise<void> {
  for (const end = performance.now() + SERVED_WITHIN_MS; ; await pause(POLL_MS)) {
    try {
      const { topics: known } = await admin.fetchTopicMetadata({ topics });
      if (known.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))) {
        for (const topic of topics) await admin.fetchTopicOffsets(topic);
        return;
      }
    } catch (error) {
      if (!isNotServedYet(error) || performance.now() >= end) throw error;
    }
    if (performance.now() >= end)
      throw new Error(`Kafka did not serve ${topics.join(', ')} in time.`);
  }
}

const NOT_SERVED_YET: ReadonlySet<unknown> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
]);

function isNotServedYet(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('type' in error && NOT_SERVED_YET.has(error.type)) return true;
  return isNotServedYet(error.cause); // kafkajs wraps what it has tried several times
}
