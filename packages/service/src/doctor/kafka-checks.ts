import {
  connectKafka,
  deadLetterTopic,
  type KafkaSettings,
  silentLog,
  TOPICS,
  topicName,
} from '@junction/messaging';
import type { ServiceTopics } from '../platform/service.js';
import { type Check, type Complaint, type Look, problem, warning } from './finding.js';

/** Checks whether the brokers answer, and whether the topics of a service are as they must be. */
export const kafkaCheck = (
  name: string,
  settings: KafkaSettings & { readonly topicPrefix: string },
  { consumed, produced }: ServiceTopics,
): Check => ({
  name: 'topics',
  remedy:
    'Check KAFKA_BROKERS, that the brokers can be reached under the names they advertise, and the KAFKA_SASL_ and KAFKA_SSL_ settings.',
  async look() {
    const kafka = await connectKafka(settings, `${name} doctor`, silentLog);
    const read = Object.values(consumed).flat();
    const wanted = new Set([...read, ...read.map(deadLetterTopic), ...produced]);
    const specs = TOPICS.filter((topic) => wanted.has(topic.name));
    const onBroker = (topic: string) => topicName(settings.topicPrefix, topic);
    const found = await kafka.admin().describeTopics(specs.map((spec) => onBroker(spec.name)));
    const complaints = specs.flatMap((spec) =>
      judge(
        { ...spec, name: onBroker(spec.name) },
        found.find((topic) => topic.name === onBroker(spec.name)),
      ),
    );
    const all: Look = `All ${specs.length} are there, as they must be.`;
    return complaints.length > 0 ? complaints : all;
  },
});

type Spec = (typeof TOPICS)[number];
type Described = Awaited<
  ReturnType<ReturnType<Awaited<ReturnType<typeof connectKafka>>['admin']>['describeTopics']>
>[number];

function judge(spec: Spec, topic: Described | undefined): readonly Complaint[] {
  const { name } = spec;
  if (topic === undefined) {
    const remedy =
      'Run the topics job (packages/messaging/dist/main.js), or let this user describe the topic.';
    return [problem(`${name} is missing, or may not be seen.`, remedy)];
  }
  const complaints: Complaint[] = [];
  if (topic.partitions !== spec.partitions) {
    complaints.push(
      problem(
        `${name} has ${topic.partitions} partitions, and must have ${spec.partitions}.`,
        'While it is empty delete it and run the topics job. Never change the partitions of a topic with records: the order of a key would be lost.',
      ),
    );
  }
  if (topic.leaderless > 0) {
    const found = `${topic.leaderless} partitions of ${name} have no leader.`;
    complaints.push(problem(found, 'Bring the brokers back that hold their replicas.'));
  }
  return [...complaints, ...judgeSettings(spec, topic)];
}

function judgeSettings({ name, retentionMs }: Spec, topic: Described): readonly Complaint[] {
  const { settings, replicas, inSync } = topic;
  if (settings === undefined) return [];
  const complaints: Complaint[] = [];
  const set = (setting: string, value: string): string =>
    `kafka-configs.sh --alter --topic ${name} --add-config ${setting}=${value}`;
  const retention = settings['retention.ms'] ?? '';
  if (retention !== String(retentionMs)) {
    const found = `${name} keeps records for ${retention} ms, and must for ${retentionMs}.`;
    complaints.push(problem(found, set('retention.ms', String(retentionMs))));
  }
  const policy = settings['cleanup.policy'] ?? '';
  if (policy !== 'delete') {
    const found = `${name} is cleaned by ${policy}, which loses records.`;
    complaints.push(problem(found, set('cleanup.policy', 'delete')));
  }
  const inSyncMin = Number(settings['min.insync.replicas'] ?? '1');
  if (inSync < inSyncMin) {
    const found = `${name} has ${inSync} replicas in sync, and takes records with ${inSyncMin} only.`;
    complaints.push(problem(found, 'Bring the brokers back that hold the other replicas.'));
  } else if (replicas > 1 && inSyncMin < 2) {
    const found = `${name} acknowledges records that a single broker has.`;
    complaints.push(warning(found, set('min.insync.replicas', '2')));
  }
  return complaints;
}
