import type { Admin, Kafka } from 'kafkajs';
import { type TopicSpec, topicName } from '../topics.js';
import type { AdminPort } from './kafka-port.js';

/** -1: as many replicas as the cluster gives by default. */
const CLUSTER_DEFAULT = -1;

/** Each call has a connection of its own: there are a handful in the life of a process. */
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

    deleteTopics: (names) => withAdmin((admin) => admin.deleteTopics({ topics: [...names] })),

    logBounds: (topic) =>
      withAdmin(async (admin) => {
        const offsets = await admin.fetchTopicOffsets(topic);
        return new Map(
          offsets.map(({ partition, low, high }) => [
            partition,
            { low: BigInt(low), high: BigInt(high) },
          ]),
        );
      }),
  };
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

  // Of several processes that start together one creates a topic; for the others this is no error.
  await admin.createTopics({
    waitForLeaders: true,
    topics: missing.map(({ name, partitions, retentionMs }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor: CLUSTER_DEFAULT,
      configEntries: [
        { name: 'cleanup.policy', value: 'delete' },
        { name: 'retention.ms', value: String(retentionMs) },
      ],
    })),
  });
  return missing.map(({ name }) => name);
}
