import type { KafkaRight, KafkaTopic, KafkaUser } from '@junction/service';

/** KafkaTopics (kafka.strimzi.io/v1) as a YAML stream. */
export const strimziTopics = (topics: readonly KafkaTopic[]): string =>
  stream(topics.map(topicYaml));

/** KafkaUsers (kafka.strimzi.io/v1) as a YAML stream: each gets a password in a Secret of its own name. */
export const strimziUsers = (users: readonly KafkaUser[]): string => stream(users.map(userYaml));

const stream = (documents: readonly string[]): string => `${HEAD}\n${documents.join('\n---\n')}\n`;

const HEAD =
  '# Made of what the services declare: npm run generate. docs/operate/secrets.md says how it is applied.';

const topicYaml = ({
  name,
  partitions,
  config,
}: KafkaTopic): string => `apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: ${name}
  labels:
    strimzi.io/cluster: junction
spec:
  partitions: ${partitions}
  config:
${Object.entries(config)
  .map(([key, value]) => `    ${key}: ${value}`)
  .join('\n')}`;

const userYaml = ({ name, rights }: KafkaUser): string => `apiVersion: kafka.strimzi.io/v1
kind: KafkaUser
metadata:
  name: ${name}
  labels:
    strimzi.io/cluster: junction
spec:
  authentication:
    type: scram-sha-512
  authorization:
    type: simple
    acls:
${rights.flatMap(aclsYaml).join('\n')}`;

const aclsYaml = ({ type, names, operations }: KafkaRight): readonly string[] =>
  names.map((name) =>
    [
      '      - resource:',
      `          type: ${type}`,
      `          name: ${name}`,
      `        operations: [${operations.join(', ')}]`,
    ].join('\n'),
  );
