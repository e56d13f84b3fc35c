import { deadLetterTopic, TOPICS } from '@junction/messaging';
import type { ServiceTopics } from './service.js';

/** Right of one user: the operations, in Kafka's words, that are allowed on topics or groups of these names. */
export interface KafkaRight {
  readonly type: 'topic' | 'group';
  readonly names: readonly string[];
  readonly operations: readonly ('Create' | 'Describe' | 'DescribeConfigs' | 'Read' | 'Write')[];
}

export interface KafkaUser {
  readonly name: string;
  readonly rights: readonly KafkaRight[];
}

/**
 * Returns the users that Kafka has to know, with no more rights than each needs. The topics job creates and describes
 * every topic. A service reads what it consumes, in one group for each consumer, and writes what it produces and the
 * dead letters of what it consumes. Read and Write imply Describe. Offsets are kept in Postgres, but Kafka requires
 * Read on a group of every member. The doctor reads the settings of these topics.
 */
export const kafkaUsers = (
  services: readonly { readonly name: string; readonly topics: ServiceTopics }[],
): readonly KafkaUser[] => [
  {
    name: userOf('topics'),
    rights: [
      { type: 'topic', names: TOPICS.map(({ name }) => name), operations: ['Create', 'Describe'] },
    ],
  },
  ...services.map(({ name, topics: { consumed, produced } }): KafkaUser => {
    const read = [...new Set(Object.values(consumed).flat())];
    const written = [...produced, ...read.map(deadLetterTopic)];
    const groups = Object.keys(consumed).map((consumer) => `${name}.${consumer}`);
    return {
      name: userOf(name),
      rights: [
        { type: 'topic', names: read, operations: ['Read', 'DescribeConfigs'] },
        { type: 'group', names: groups, operations: ['Read'] },
        { type: 'topic', names: written, operations: ['Write', 'DescribeConfigs'] },
      ],
    };
  }),
];

/** Returns the name of a program's user in Kafka, which also names the Secret that holds the user's password. */
const userOf = (program: string): string => `${program}-kafka`;
