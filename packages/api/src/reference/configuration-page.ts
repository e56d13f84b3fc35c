import type { KafkaRight, KafkaUser } from '@junction/platform';

/** docs/configuration.md: what an operator gives the services. */
export const configurationPage = (users: readonly KafkaUser[]): string => `# Configuration

Made of what the services declare, by \`npm run generate\`.

## Rights in Kafka

Topics and groups are named without KAFKA_TOPIC_PREFIX, which stands before each when it is set. Nothing else is needed,
and nothing on the cluster. Read and Write imply Describe. The same as manifests for Strimzi:
\`infra/k8s/strimzi/kafka-users.yaml\`.

| user | may | on |
| --- | --- | --- |
${users.flatMap(({ name, rights }) => rights.map((right) => rightRow(name, right))).join('\n')}
`;

const rightRow = (user: string, { type, names, operations }: KafkaRight): string =>
  `| \`${user}\` | ${operations.join(', ')} | ${names.length > 1 ? `${type}s` : type} ${names.map((name) => `\`${name}\``).join(', ')} |`;
