import { setTimeout as sleep } from 'node:timers/promises';
import { retry } from '@junction/async';
import type { Backends } from '@junction/local-stack';
import { CHAOS_TOPICS } from '../domain.js';
import { type Fault, faultInWords, type Member, type Server, TOPIC } from '../schedule.js';
import type { MemberProcess } from './member-process.js';
import type { Stage } from './stage.js';

/** Everything that a fault kills, pauses or deletes. */
type Victims = Pick<Stage, 'members' | 'backends' | 'kafka'>;

/** Does what the schedule says, when it says so, until the last victim is back. Rejects with what kept it from that. */
export async function play(
  schedule: readonly Fault[],
  stage: Victims,
  { signal, say }: { readonly signal: AbortSignal; readonly say: (line: string) => void },
): Promise<void> {
  const begunMs = performance.now();
  const failing = new AbortController();
  const either = AbortSignal.any([signal, failing.signal]);
  // Faults of one victim wait for each other; faults of different victims do not.
  const faults = new Map<Fault['victim'], Promise<void>>();
  try {
    for (const fault of schedule) {
      const restMs = begunMs + fault.atMs - performance.now();
      await sleep(Math.max(0, restMs), undefined, { signal: either });
      const before = faults.get(fault.victim) ?? Promise.resolve();
      const over = before.then(async () => {
        say(`${(fault.atMs / 1_000).toFixed(1).padStart(6)} s  ${faultInWords(fault)}`);
        await happen(fault, stage, either);
      });
      over.catch((error: unknown) => failing.abort(error));
      faults.set(fault.victim, over);
    }
    await Promise.all(faults.values());
  } catch (error) {
    // A failed fault calls all others off, and they reject with that alone: the reason says what failed.
    throw either.aborted ? either.reason : error;
  } finally {
    failing.abort();
    await Promise.allSettled(faults.values());
  }
}

async function happen(
  { how, victim, lastsMs }: Fault,
  { members, backends, kafka }: Victims,
  signal: AbortSignal,
): Promise<void> {
  if (victim === TOPIC) return makeAnew(kafka, lastsMs, signal);
  if (victim === 'postgres' || victim === 'kafka') {
    await killServer(backends, victim);
    await sleep(lastsMs, undefined, { signal });
    await backends.restart(victim);
    return;
  }
  const member = memberOf(members, victim);
  if (how === 'pause') {
    member.send('SIGSTOP');
    await sleep(lastsMs, undefined, { signal });
    member.send('SIGCONT');
    return;
  }
  await member.kill();
  await sleep(lastsMs, undefined, { signal });
  member.start();
}

/** Tries until it is done: Kafka may be killed meanwhile. */
async function makeAnew(
  kafka: Stage['kafka'],
  lastsMs: number,
  signal: AbortSignal,
): Promise<void> {
  const admin = kafka.admin();
  const deleted = async (): Promise<void> => {
    const { topics } = await admin.describeTopics([TOPIC]);
    if (topics.length > 0) await admin.deleteTopics([TOPIC]);
  };
  await retry(deleted, { signal });
  await sleep(lastsMs, undefined, { signal });
  await retry(() => admin.ensureTopics(CHAOS_TOPICS), { signal });
}

async function killServer(backends: Backends, name: Server): Promise<void> {
  const pid = backends.pids()[name];
  if (pid === undefined) throw new Error(`${name} runs on no process of this machine.`);
  const gone = new Promise<void>((resolve) => {
    backends.onExit((which) => which === name && resolve());
  });
  process.kill(pid, 'SIGKILL');
  await gone;
}

function memberOf(members: ReadonlyMap<Member, MemberProcess>, name: Member): MemberProcess {
  const member = members.get(name);
  if (member === undefined) throw new Error(`There is no process ${name}.`);
  return member;
}
