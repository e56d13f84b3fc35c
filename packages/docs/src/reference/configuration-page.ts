import type { KafkaRight, KafkaUser } from '@junction/service';
import { type Configured, settingsTables } from './settings.js';

/** docs/configuration.md: what an operator gives the services. */
export const configurationPage = (
  services: readonly Configured[],
  users: readonly KafkaUser[],
): string => `---
synonyms: environment variables env settings options config
---

# Configuration

Made of what the services declare, by \`npm run generate\`. A service reads its settings from the environment when it starts,
names every mistake at once, and takes an empty variable for one that is not set. A secret may come from a file instead:
\`VAULT_KEYS_FILE\` for \`VAULT_KEYS\`. So may the secrets that PROVIDERS_FILE and TRUSTED_ISSUERS_FILE name.

## Settings that are followed

SETTINGS_FILE names a file with \`NAME=value\` on each line, which counts before the environment; one file may serve all services.
When it changes, settings marked *at once* count within a second, and the log has \`a setting has changed\` with \`setting\`,
\`before\` and \`after\`. For others it has \`a changed setting counts after a restart\`. A file with a mistake is refused whole:
\`SETTINGS_FILE is refused\` says which setting is wrong and how, and the settings before go on.

${settingsTables(services)}

## Rights in Kafka

Topics and groups are named without KAFKA_TOPIC_PREFIX, which stands before each when it is set. Nothing else is needed,
and nothing on the cluster. Read and Write imply Describe; without DescribeConfigs everything works, and the
[doctor](doctor.md) warns that it cannot see the settings of these topics. The same as manifests for Strimzi:
\`infra/k8s/strimzi/kafka-users.yaml\`.

| user | may | on |
| --- | --- | --- |
${users.flatMap(({ name, rights }) => rights.map((right) => rightRow(name, right))).join('\n')}
`;

const rightRow = (user: string, { type, names, operations }: KafkaRight): string =>
  `| \`${user}\` | ${operations.join(', ')} | ${names.length > 1 ? `${type}s` : type} ${names.map((name) => `\`${name}\``).join(', ')} |`;
