import type { Log } from './log.js';

/** The part of a kafkajs log entry that we read. */
interface Entry {
  readonly namespace: string;
  readonly level: number;
  readonly log: Readonly<Record<string, unknown>> & { readonly message: string };
}

/** kafkajs' own number for its level "error". */
const ERROR = 1;

/**
 * Messages of kafkajs about a healthy cluster while a topic, a group or a coordinator comes to life. kafkajs retries by
 * itself, so an operator has nothing to do.
 */
const EXPECTED =
  /coordinator is (not available|loading)|not the (correct )?coordinator|is rebalancing|no leader for this topic-partition|not the leader for|does not host this topic-partition|Topic with this name already exists|needs to have a valid member id|not aware of this member/i;

/** Namespaces whose failures also reach us as rejections, which we report once instead of once a retry. */
const SPOKEN_FOR_BY_REJECTIONS = new Set(['Connection', 'BrokerPool', 'Producer']);
/**
 * Words before the error that ended a consumer, which its supervisor says; and those about an answer whose request was
 * given up and reported: a Kafka that stood still sends some ninety of these at once.
 */
const SPOKEN_FOR = /^(Crash: |Response without match)/;

/** Returns the level that an entry is worth. */
export function loudness({ namespace, level, log }: Entry): 'debug' | 'warn' {
  const text = [log.message, log['error']].filter((part) => typeof part === 'string').join(' ');
  if (EXPECTED.test(text) || SPOKEN_FOR.test(text)) return 'debug';
  if (SPOKEN_FOR_BY_REJECTIONS.has(namespace)) return 'debug';
  return level <= ERROR + 1 ? 'warn' : 'debug';
}

/**
 * Creates a `logCreator` for kafkajs that passes on the words and the coordinates, but nothing of any record.
 * `principal` names this client as Kafka sees it.
 */
export const logCreator =
  (log: Log, principal: string) =>
  () =>
  (entry: Entry): void => {
    const { message, groupId: group, topic, partition, broker, error } = entry.log;
    const { operation, resource } = entry.log;
    const asked = operation === undefined ? {} : { principal, operation, resource };
    const fields = { kafkajs: entry.namespace, group, topic, partition, broker, error, ...asked };
    log[loudness(entry)](
      Object.fromEntries(Object.entries(fields).filter(([, value]) => isPlain(value))),
      `kafka: ${message}`,
    );
  };

const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
