import { deadLetterTopic, TOPICS } from '@junction/messaging';
import type { ServiceTopics } from './service.js';

/** What one user may do with topics or groups of these names: Kafka's words for operations. */
export interface KafkaRight {
  readonly type: 'topic' | 'group';
  readonly names: readonly string[];
  readonly operations: readonly ('Create' | 'Describe' | 'Read' | 'Write')[];
}

export interface KafkaUser {
  readonly name: string;
  readonly rights: readonly KafkaRight[];
}

/**
 * Whom Kafka has to know, and what each has to be allowed, no more: the topics job makes and looks at every
 * topic; a service reads what it consumes in a group for each consumer, and writes what it produces and the
 * dead letters of what it consumes. Read and Write imply Describe. Offsets are kept in Postgres, but Kafka
 * asks for Read on a group of whoever joins it.
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
    const read = Object.values(consumed).flat();
    const written = [...produced, ...read.map(deadLetterTopic)];
    const groups = Object.keys(consumed).map((consumer) => `${name}.${consumer}`);
    return {
      name: userOf(name),
      rights: [
        { type: 'topic', names: read, operations: ['Read'] },
        { type: 'group', names: groups, operations: ['Read'] },
        { type: 'topic', names: written, operations: ['Write'] },
      ],
    };
  }),
];

/** Also the name of the Secret that holds its password. */
const userOf = (program: string): string => `${program}-kafka`;
