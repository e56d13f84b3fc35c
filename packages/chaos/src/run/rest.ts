import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAOS_TOPICS, READERS } from '../domain.js';
import type { MemberProcess } from './member-process.js';
import type { Stage } from './stage.js';

const WORKING_WITHIN_MS = 120_000;
/** A member that is only just back, one that the group waits for, and a slow machine. */
const REST_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 100;

/** By topic and partition, where its log ends. */
export type Ends = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Waits until an event has gone all the way. Throws an Error when none does. */
export async function untilWorking(stage: Stage, signal: AbortSignal): Promise<void> {
  const { pool, unasked, places } = stage;
  const waiting = await waitUntil(WORKING_WITHIN_MS, signal, async () => {
    if (unasked.length > 0) return undefined;
    const { rows } = await pool.query<{ consumers: number }>(
      'select count(distinct consumer)::int as consumers from effects',
    );
    return rows[0]?.consumers === READERS.length ? undefined : 'no event has come through';
  });
  const problems = [...unasked, ...(waiting === undefined ? [] : [`${waiting}.`])];
  if (problems.length === 0) return;
  throw new Error(`The processes do not work; see ${places.logsDir}. ${problems.join(' ')}`);
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
  const until = async (look: () => Promise<string | undefined>): Promise<void> => {
    const waiting = await waitUntil(REST_WITHIN_MS, signal, look);
    if (waiting !== undefined) restless.push(`After ${REST_WITHIN_MS / 1_000} s ${waiting}.`);
  };

  writeFileSync(endFile, '');
  const finished = new Set<string>();
  for (const writer of byKind('writer')) void writer.ended().then(() => finished.add(writer.name));
  await until(async () => {
    const busy = byKind('writer').filter(({ name }) => !finished.has(name));
    return busy.length === 0 ? undefined : `${names(busy)} had not finished`;
  });
  await until(async () => {
    const { rows } = await pool.query<{ count: number }>('select count(*)::int from outbox');
    const left = rows[0]?.count;
    return left === 0 ? undefined : `${left} rows of the outbox were not published`;
  });
  // Nothing is sent from here on, so the logs end where they end.
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
  const ends = new Map<string, ReadonlyMap<number, number>>();
  for (const { name } of CHAOS_TOPICS) {
    const bounds = await kafka.admin().logBounds(name);
    ends.set(name, new Map([...bounds].map(([partition, { high }]) => [partition, Number(high)])));
  }
  return ends;
}

async function unread({ pool }: Stage, ends: Ends): Promise<string | undefined> {
  const { rows } = await pool.query<StoredOffset>(
    'select consumer, topic, partition, next_offset::float8 as next from consumer_offsets',
  );
  const placeOf = ({ consumer, topic, partition }: Omit<StoredOffset, 'next'>) =>
    `${consumer}: ${topic}/${partition}`;
  const stored = new Map(rows.map((row) => [placeOf(row), row.next]));
  const behind = READERS.flatMap(({ consumer, topic }) =>
    [...(ends.get(topic) ?? [])].flatMap(([partition, end]) => {
      const place = placeOf({ consumer, topic, partition });
      const next = stored.get(place) ?? 0;
      return next >= end ? [] : [`${place} was handled up to ${next} of ${end}`];
    }),
  );
  return behind.length === 0 ? undefined : behind.join(', ');
}

interface StoredOffset {
  readonly consumer: string;
  readonly topic: string;
  readonly partition: number;
  readonly next: number;
}

/** Undefined once `look` gives undefined; what it says after the deadline. Trouble meanwhile is waited out. */
async function waitUntil(
  withinMs: number,
  signal: AbortSignal,
  look: () => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const end = performance.now() + withinMs; ; ) {
    const waiting = await look().catch((error: unknown) => String(error));
    if (waiting === undefined || performance.now() > end) return waiting;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function untilKnown<T>(find: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let found: { readonly value: T } | undefined;
  const waiting = await waitUntil(REST_WITHIN_MS, signal, async () => {
    found = { value: await find() };
    return undefined;
  });
  if (found === undefined) throw new Error(`The ends of the logs cannot be asked for: ${waiting}`);
  return found.value;
}
