import { type HaltedPartitions, haltedPartitions, openDeadLetters } from '@junction/messaging';
import type { ServiceTopics } from '@junction/service';
import type pg from 'pg';
import { type Check, type Complaint, problem } from './finding.js';

/** From then on a replica has had the time to join its groups and to report its partitions. */
const SETTLED_AFTER_MS = 120_000;

export interface Consuming {
  readonly pool: pg.Pool;
  /** Name of the service. */
  readonly name: string;
  readonly topics: ServiceTopics;
  /** Milliseconds for which a replica has run; 0 where perhaps none does. */
  readonly runsForMs: number;
}

/** Checks what waits for an operator before records are handled: places in the log, failures, dead letters. */
export const consumerChecks = (consuming: Consuming): readonly Check[] => [
  {
    name: 'consumers',
    needs: ['migrations', 'topics'],
    remedy: 'Ask again.',
    async look() {
      const complaints = await halted(consuming);
      return complaints.length > 0 ? complaints : 'No partition waits for an operator.';
    },
  },
  {
    name: 'records',
    needs: ['migrations'],
    remedy: 'Ask again.',
    async look() {
      const complaints = await setAside(consuming);
      return complaints.length > 0 ? complaints : 'No dead letter waits for an operator.';
    },
  },
];

async function halted({ pool, name, topics, runsForMs }: Consuming): Promise<readonly Complaint[]> {
  const consumed = Object.entries(topics.consumed).flatMap(([short, topics]) =>
    topics.map((topic) => ({ consumer: `${name}.${short}`, topic })),
  );
  const found = await haltedPartitions(pool, consumed);
  const all = (state: HaltedPartitions['state']) => found.filter((one) => one.state === state);
  const list = `\`junction consumers list -s ${name}\``;
  // A consumer meets one cause at all of its topics; what a topic has lost is decided for each.
  const byConsumer = (halted: readonly HaltedPartitions[]) =>
    [...new Set(halted.map(({ consumer }) => consumer))].map((consumer) => ({
      consumer,
      places: halted
        .filter((one) => one.consumer === consumer)
        .map(placesOf)
        .join(', and '),
    }));
  return [
    ...all('offset_lost').map((lost) =>
      problem(
        `${lost.consumer} has lost its place (offset_lost) in ${placesOf(lost)}. ${lost.reason} It handles nothing there until you say where to go on.`,
        `${list} shows the places. For each partition: \`junction consumers reset -s ${name} ${lost.consumer} ${lost.topic} ${lost.partitions[0]} --beginning\`, or --end, --offset, --time.`,
      ),
    ),
    ...byConsumer(all('failing')).map(({ consumer, places }) =>
      problem(
        `${consumer} has handled nothing for a minute of tries (backing_off) in ${places}.`,
        `The log of ${name} says why, with "consumer:" before it, and ${list} how far it is behind. Mend that: it goes on by itself.`,
      ),
    ),
    ...(runsForMs < SETTLED_AFTER_MS ? [] : byConsumer(all('stopped'))).map(
      ({ consumer, places }) =>
        problem(
          `${consumer} is not in its group: no replica has had ${places} for a minute.`,
          `Mend first what "topics" has to say. Otherwise the log of ${name} says why, with the name of the consumer; ${list} shows what waits.`,
        ),
    ),
  ];
}

const NAMED_MAX = 12;

function placesOf({ topic, partitions, of }: HaltedPartitions): string {
  if (of === 0) return topic;
  const named = partitions.slice(0, NAMED_MAX).join(', ');
  const more = partitions.length > NAMED_MAX ? ', …' : '';
  return `${partitions.length} of ${of} partitions of ${topic} (${named}${more})`;
}

async function setAside({ pool, name }: Consuming): Promise<readonly Complaint[]> {
  const open = await openDeadLetters(pool);
  return open.flatMap(({ consumer, topic, count, undecodable }) => {
    const list = `junction dlq list -s ${name} --consumer ${consumer} --topic ${topic}`;
    const complaints: Complaint[] = [];
    if (undecodable > 0) {
      complaints.push(
        problem(
          `${consumer} could not decode ${counted(undecodable, 'batch', 'batches')} of ${topic}: their records are missing.`,
          `\`${list} --reason batch_undecodable\` says which, and why. Have their producers send them again, then drop the dead letters.`,
        ),
      );
    }
    if (count > undecodable) {
      const records = counted(count - undecodable, 'record', 'records');
      complaints.push(
        problem(
          `${consumer} has set ${records} of ${topic} aside, and nobody has decided about them.`,
          `\`${list}\` says why. Mend that, then \`junction dlq redrive -s ${name}\` those that are to be handled, and \`junction dlq drop -s ${name}\` the others.`,
        ),
      );
    }
    return complaints;
  });
}

const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;
