import { TOPICS, topicConfig } from '@junction/messaging';

/** A topic in Kafka's own words. */
export interface KafkaTopic {
  readonly name: string;
  readonly partitions: number;
  readonly config: Readonly<Record<string, string>>;
}

/** Returns every topic of the product. */
export const kafkaTopics = (): readonly KafkaTopic[] =>
  TOPICS.map(({ name, partitions, retentionMs }) => ({
    name,
    partitions,
    config: topicConfig(retentionMs),
  }));
