import type { DescribedTopic, TOPICS } from '@junction/messaging';
import type { Complaint } from './finding.js';

type Spec = (typeof TOPICS)[number];

/** Faults that a topic can have, with what is to be done about all topics that have one. */
const FAULTS = {
  partitions: {
    state: 'problem',
    remedy:
      'While it is empty delete it and run the topics job. Never change the partitions of a topic with records: the order of a key would be lost.',
  },
  leader: { state: 'problem', remedy: 'Bring the brokers back that hold their replicas.' },
  retention: {
    state: 'problem',
    remedy: `${set('retention.ms', '…')}, with the milliseconds that it must.`,
  },
  cleanUp: { state: 'problem', remedy: set('cleanup.policy', 'delete') },
  inSync: { state: 'problem', remedy: 'Bring the brokers back that hold the other replicas.' },
  oneBroker: { state: 'warning', remedy: set('min.insync.replicas', '2') },
} as const satisfies Record<string, Omit<Complaint, 'found'>>;

type Fault = keyof typeof FAULTS;

function set(setting: string, value: string): string {
  return `On each: kafka-configs.sh --alter --topic … --add-config ${setting}=${value}`;
}

/**
 * Judges topics that are there by what the product makes them. A fault is one complaint, which names all topics that
 * have it. Without its settings a topic is not judged by them.
 */
export function judgeTopics(
  pairs: readonly (readonly [spec: Spec, topic: DescribedTopic])[],
): readonly Complaint[] {
  const said = new Map<Fault, string[]>();
  for (const [spec, topic] of pairs) {
    for (const [fault, words] of faultsOf(spec, topic)) {
      said.set(fault, [...(said.get(fault) ?? []), words]);
    }
  }
  return [...said].map(([fault, words]) => ({ ...FAULTS[fault], found: `${words.join('; ')}.` }));
}

function* faultsOf(spec: Spec, topic: DescribedTopic): Generator<readonly [Fault, string]> {
  const { name, partitions, leaderless, settings, replicas, inSync } = topic;
  if (partitions !== spec.partitions) {
    yield ['partitions', `${name} has ${partitions} partitions, and must have ${spec.partitions}`];
  }
  if (leaderless > 0) yield ['leader', `${leaderless} partitions of ${name} have no leader`];
  if (settings === undefined) return;
  const retention = settings['retention.ms'] ?? '';
  if (retention !== String(spec.retentionMs)) {
    const found = `${name} keeps records for ${retention} ms, and must for ${spec.retentionMs}`;
    yield ['retention', found];
  }
  const policy = settings['cleanup.policy'] ?? '';
  if (policy !== 'delete') {
    yield ['cleanUp', `${name} is cleaned by ${policy}, which loses records`];
  }
  const inSyncMin = Number(settings['min.insync.replicas'] ?? '1');
  if (inSync < inSyncMin) {
    const found = `${name} has ${inSync} replicas in sync, and takes records with ${inSyncMin} only`;
    yield ['inSync', found];
  } else if (replicas > 1 && inSyncMin < 2) {
    yield ['oneBroker', `${name} acknowledges records that a single broker has`];
  }
}
