import {
  connectKafka,
  type DescribedTopic,
  type KafkaSettings,
  silentLog,
  TOPICS,
  topicName,
} from '@junction/messaging';
import type { ServiceTopics } from '@junction/service';
import { kafkaUsers } from '@junction/service';
import { type Check, type Complaint, problem, warning } from './finding.js';
import { judgeTopics } from './topic-rules.js';

type Settings = KafkaSettings & { readonly topicPrefix: string };
type Operation = DescribedTopic['rights'][number];

/** Checks the brokers, the topics of a service, and its rights on them. */
export const kafkaCheck = (name: string, settings: Settings, service: ServiceTopics): Check => ({
  name: 'topics',
  remedy:
    'Check KAFKA_BROKERS, that the brokers run and can be reached under the names they advertise, and the KAFKA_SASL_ and KAFKA_SSL_ settings.',
  async look() {
    const specs = TOPICS.map((spec) => ({
      ...spec,
      name: topicName(settings.topicPrefix, spec.name),
      needed: neededOn(spec.name, { name, topics: service }),
    })).filter(({ needed }) => needed.length > 0);
    const kafka = await connectKafka(settings, `${name} doctor`, silentLog);
    const seen = await kafka.admin().describeTopics(specs.map((spec) => spec.name));
    const topics = new Map(seen.topics.map((topic) => [topic.name, topic]));
    const complaints = [
      ...absent(
        specs.map((spec) => spec.name).filter((topic) => !topics.has(topic)),
        seen.hidden,
        settings,
      ),
      ...judgeTopics(
        specs.flatMap((spec) => {
          const topic = topics.get(spec.name);
          return topic === undefined ? [] : [[spec, topic] as const];
        }),
      ),
      ...(['Read', 'Write', 'DescribeConfigs'] as const).flatMap((operation) =>
        refused(
          operation,
          specs
            .filter(({ needed }) => needed.includes(operation))
            .map((spec) => spec.name)
            .filter((topic) => topics.get(topic)?.rights.includes(operation) === false),
          settings,
        ),
      ),
    ];
    if (complaints.length > 0) return complaints;
    return `All ${specs.length} are there, with the settings and the rights that this service needs.`;
  },
});

/** Returns the operations on a topic that the documented rights of the service's user allow. */
function neededOn(topic: string, service: Named): readonly string[] {
  const rights = kafkaUsers([service]).at(-1)?.rights ?? [];
  return rights
    .filter(({ type, names }) => type === 'topic' && names.includes(topic))
    .flatMap(({ operations }) => operations);
}

type Named = Parameters<typeof kafkaUsers>[0][number];

const GIVE =
  'docs/configuration.md lists under "Rights in Kafka" all that it needs, infra/k8s/strimzi/kafka-users.yaml the same for Strimzi.';

const userOf = ({ sasl }: Settings): string =>
  sasl === undefined ? 'The Kafka user' : `The Kafka user ${sasl.username}`;

function absent(
  absent: readonly string[],
  hidden: readonly string[],
  settings: Settings,
): readonly Complaint[] {
  const missing = absent.filter((topic) => !hidden.includes(topic));
  const complaints: Complaint[] = [];
  if (missing.length > 0) {
    const remedy =
      'Run the topics job (packages/messaging/dist/main.js), or set KAFKA_TOPIC_PREFIX as it had it.';
    complaints.push(problem(`Missing: ${missing.join(', ')}.`, remedy));
  }
  if (hidden.length > 0) {
    const found = `${userOf(settings)} may not see ${hidden.join(', ')}, whether they exist or not.`;
    complaints.push(problem(found, `Give it Read or Write on each: ${GIVE}`));
  }
  return complaints;
}

function refused(
  operation: Operation,
  topics: readonly string[],
  settings: Settings,
): readonly Complaint[] {
  if (topics.length === 0) return [];
  const found = `${userOf(settings)} has no right to ${operation} ${topics.join(', ')}`;
  const remedy = `Give it ${operation} on each: ${GIVE}`;
  return operation === 'DescribeConfigs'
    ? [warning(`${found}: retention, clean-up and replicas in sync were not looked at.`, remedy)]
    : [problem(`${found}.`, remedy)];
}
