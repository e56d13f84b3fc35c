import kafkajs, { type Admin } from 'kafkajs';
import type { DescribedTopic } from './kafka-port.js';

const REFUSED: ReadonlySet<string> = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

/** Describes topics, with their settings where the user may read them. Topics that do not exist are left out. */
export async function describe(
  admin: Admin,
  names: readonly string[],
): Promise<readonly DescribedTopic[]> {
  const existing = new Set(await admin.listTopics());
  const known = names.filter((name) => existing.has(name));
  if (known.length === 0) return [];
  const { topics } = await admin.fetchTopicMetadata({ topics: known });
  const settings = await settingsOf(admin, known);
  return topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.length,
    replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    inSync: Math.min(...partitions.map(({ isr }) => isr.length)),
    leaderless: partitions.filter(({ leader }) => leader < 0).length,
    settings: settings?.get(name),
  }));
}

async function settingsOf(
  admin: Admin,
  names: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>> | undefined> {
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
    });
    return new Map(
      resources.map(({ resourceName, configEntries }) => [
        resourceName,
        Object.fromEntries(
          configEntries.map(({ configName, configValue }) => [configName, configValue]),
        ),
      ]),
    );
  } catch (error) {
    if (error instanceof kafkajs.KafkaJSProtocolError && REFUSED.has(error.type)) return undefined;
    throw error;
  }
}
