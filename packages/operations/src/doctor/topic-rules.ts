import type { DescribedTopic, TOPICS } from '@junction/messaging';
import { type Complaint, problem, warning } from './finding.js';

type Spec = (typeof TOPICS)[number];

/** Judges a topic that is there by what the product makes it. Without its settings they are not judged. */
export function judgeTopic(spec: Spec, topic: DescribedTopic): readonly Complaint[] {
  const { name, partitions, leaderless } = topic;
  const complaints: Complaint[] = [];
  if (partitions !== spec.partitions) {
    complaints.push(
      problem(
        `${name} has ${partitions} partitions, and must have ${spec.partitions}.`,
        'While it is empty delete it and run the topics job. Never change the partitions of a topic with records: the order of a key would be lost.',
      ),
    );
  }
  if (leaderless > 0) {
    const found = `${leaderless} partitions of ${name} have no leader.`;
    complaints.push(problem(found, 'Bring the brokers back that hold their replicas.'));
  }
  return [...complaints, ...judgeSettings(spec, topic)];
}

function judgeSettings({ retentionMs }: Spec, topic: DescribedTopic): readonly Complaint[] {
  const { name, settings, replicas, inSync } = topic;
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
