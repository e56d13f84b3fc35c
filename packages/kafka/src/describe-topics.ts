import kafkajs, { type Admin } from 'kafkajs';
import type { DescribedTopics } from './kafka-port.js';
import { seenTopics } from './seen-topics.js';

/** Describes topics, each with its settings where the user may read them. Topics that do not exist are left out. */
export async function describe(admin: Admin, names: readonly string[]): Promise<DescribedTopics> {
  const { topics, hidden } = await seenTopics(admin, names);
  const described = topics.map(async ({ name, partitions, rights }) => ({
    name,
    partitions: partitions.length,
    replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
    inSync: Math.min(...partitions.map(({ isr }) => isr.length)),
    leaderless: partitions.filter(({ leader }) => leader < 0).length,
    rights,
    settings: rights.includes('DescribeConfigs') ? await settingsOf(admin, name) : undefined,
  }));
  return { topics: await Promise.all(described), hidden };
}

async function settingsOf(admin: Admin, name: string): Promise<Readonly<Record<string, string>>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name }],
  });
  const entries = resources.flatMap(({ configEntries }) => configEntries);
  return Object.fromEntries(
    entries.map(({ configName, configValue }) => [configName, configValue]),
  );
}
