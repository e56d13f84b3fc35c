import { writeFileSync } from 'node:fs';
import { LocalStackError } from '@junction/local-stack';
import { CHAOS_TOPICS, READERS } from '../domain.js';
import type { MemberProcess } from './member-process.js';
import type { Stage } from './stage.js';
import { type Left, waitUntil } from './wait.js';

const WORKING_WITHIN_MS = 120_000;
/**
 * Milliseconds without progress that are allowed: a member may just be back, a group may wait for a member, and the
 * machine may be slow.
 */
const STILL_MAX_MS = 180_000;

/** Ends of the logs, by topic and partition. */
export type Ends = ReadonlyMap<string, ReadonlyMap<number, LogEnd>>;

interface LogEnd {
  readonly end: number;
  readonly topicId: string | undefined;
}

/** Waits until an event has gone all the way. Throws an Error when none does. */
export async function untilWorking(stage: Stage, signal: AbortSignal): Promise<void> {
  const { pool, unasked, places } = stage;
  const waiting = await waitUntil(WORKING_WITHIN_MS, signal, async () => {
    if (unasked.length > 0) return undefined;
    const { rows } = await pool.query<{ consumers: number }>(
      'select count(distinct consumer)::int as consumers from effects',
    );
    const count = READERS.length - (rows[0]?.consumers ?? 0);
    return count === 0 ? undefined : { count, inWords: 'no event has come through' };
  });
  const problems = [...unasked, ...(waiting === undefined ? [] : [`${waiting}.`])];
  if (problems.length === 0) return;
  throw new LocalStackError(
    `The processes do not work; see ${places.logsDir}. ${problems.join(' ')}`,
  );
}

/**
 * Lets the writers finish, and waits until everything they wrote has arrived everywhere. Then ends every
 * process. Gives where the logs end, and, in words, what did not come to rest.
 */
export async function comeToRest(
  stage: Stage,
  signal: AbortSignal,
): Promise<{ readonly ends: Ends; readonly restless: readonly string[] }> {
  const { members, pool, endFile } = stage;
  const byKind = (kind: string) =>
    [...members.values()].filter(({ name }) => name.startsWith(kind));
  const restless: string[] = [];
  const until = async (look: () => Promise<Left | undefined>): Promise<void> => {
    const waiting = await waitUntil(STILL_MAX_MS, signal, look);
    if (waiting === undefined) return;
    restless.push(`After ${STILL_MAX_MS / 1_000} s without progress ${waiting}.`);
  };

  writeFileSync(endFile, '');
  const finished = new Set<string>();
  for (const writer of byKind('writer')) void writer.ended().then(() => finished.add(writer.name));
  await until(async () => {
    const busy = byKind('writer').filter(({ name }) => !finished.has(name));
    if (busy.length === 0) return undefined;
    return { count: busy.length, inWords: `${names(busy)} had not finished` };
  });
  await until(async () => {
    const { rows } = await pool.query<{ count: number }>('select count(*)::int from outbox');
    const count = rows[0]?.count ?? 0;
    if (count === 0) return undefined;
    return { count, inWords: `${count} rows of the outbox were not published` };
  });
  // The relays send nothing after this, so the ends of the logs no longer move.
  await killAll(byKind('relay'));
  const ends = await untilKnown(() => endsOf(stage), signal);
  await until(() => unread(stage, ends));
  await killAll([...members.values()]);
  return { ends, restless };
}

const names = (members: readonly MemberProcess[]): string =>
  members.map(({ name }) => name).join(' and ');

const killAll = async (members: readonly MemberProcess[]): Promise<void> => {
  await Promise.all(members.map((member) => member.kill()));
};

async function endsOf({ kafka }: Stage): Promise<Ends> {
  const ends = new Map<string, ReadonlyMap<number, LogEnd>>();
  for (const { name } of CHAOS_TOPICS) {
    const bounds = await kafka.admin().logBounds(name);
    const byPartition = [...bounds].map(([partition, { high, topicId }]) => {
      return [partition, { end: Number(high), topicId }] as const;
    });
    ends.set(name, new Map(byPartition));
  }
  return ends;
}

async function unread({ pool }: Stage, ends: Ends): Promise<Left | undefined> {
  const { rows } = await pool.query<StoredOffset>(
    `select consumer, topic, partition, next_offset::float8 as next, topic_id as "topicId"
       from consumer_offsets`,
  );
  const placeOf = ({ consumer, topic, partition }: Omit<StoredOffset, 'next' | 'topicId'>) =>
    `${consumer}: ${topic}/${partition}`;
  const stored = new Map(rows.map((row) => [placeOf(row), row]));
  const behind = READERS.flatMap(({ consumer, topic }) =>
    [...(ends.get(topic) ?? [])].flatMap(([partition, { end, topicId }]) => {
      const place = placeOf({ consumer, topic, partition });
      const row = stored.get(place);
      const next = row?.topicId === topicId ? (row?.next ?? 0) : 0;
      const inWords = `${place} was handled up to ${next} of ${end}`;
      return next >= end ? [] : [{ count: end - next, inWords }];
    }),
  );
  if (behind.length === 0) return undefined;
  return {
    count: behind.reduce((sum, { count }) => sum + count, 0),
    inWords: behind.map(({ inWords }) => inWords).join(', '),
  };
}

interface StoredOffset {
  readonly consumer: string;
  readonly topic: string;
  readonly partition: number;
  readonly next: number;
  readonly topicId: string | null;
}

async function untilKnown<T>(find: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let found: { readonly value: T } | undefined;
  const waiting = await waitUntil(STILL_MAX_MS, signal, async () => {
    found = { value: await find() };
    return undefined;
  });
  if (found === undefined) throw new Error(`The ends of the logs cannot be asked for: ${waiting}`);
  return found.value;
}
