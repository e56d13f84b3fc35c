import { type Random, randomOf } from './random.js';

/** The processes of ours. Two of everything that takes over from one another. */
export const MEMBERS = [
  'writer-1',
  'writer-2',
  'writer-3',
  'relay-1',
  'relay-2',
  'consumer-1',
  'consumer-2',
] as const;

export const SERVERS = ['postgres', 'kafka'] as const;

/** The topic that is deleted and made anew. */
export const TOPIC = 'chaos.anew.v1';

export type Member = (typeof MEMBERS)[number];
export type Server = (typeof SERVERS)[number];

/** Something done to a process. */
export interface Fault {
  /** Since the first event had gone all the way. */
  readonly atMs: number;
  /** `kill` is SIGKILL and another start; `pause` is SIGSTOP and SIGCONT; `remake` deletes and creates. */
  readonly how: 'kill' | 'pause' | 'remake';
  readonly victim: Member | Server | typeof TOPIC;
  /** Milliseconds that the victim stays down, without its start, or stays stopped or deleted. */
  readonly lastsMs: number;
}

/** Milliseconds between faults, so many that most of the time something works that the next fault can break. */
const GAP_MS = [500, 4_000] as const;
const DOWN_MS = [0, 2_000] as const;
/**
 * Within every lease; a little longer than leases (6 s) and the sessions of consumers (8 s) last, so that who
 * wakes up still has in hand what another has taken over; and long after all that has timed out (10 s).
 */
const PAUSES_MS = [
  [1_000, 5_000],
  [7_000, 10_000],
  [14_000, 20_000],
] as const;
const LONG_MS = PAUSES_MS[1][0];
/** Milliseconds after a fault during which no other fault hits its victim. */
const AWAKE_MS = 1_000;
/** A pause for every two kills. */
const PAUSES = 1 / 3;
/** Topics are made anew once for so many kills, and at least once. */
const KILLS_FOR_A_REMAKE = 10;

/** Draws the faults of a run, in the order of time. The same seed and number of kills give the same faults. */
export function drawSchedule(seed: number, kills: number): readonly Fault[] {
  const random = randomOf(seed, 'schedule');
  const toKill = deck([...MEMBERS, ...SERVERS], random);
  const toPause = deck(MEMBERS, random);
  const faults: Fault[] = [];
  let atMs = 0;
  for (let killed = 0; killed < kills; ) {
    atMs += random.between(...GAP_MS);
    const isSpared = (victim: Fault['victim']) =>
      faults.some(
        (fault) => isAffected(victim, fault) && atMs < fault.atMs + fault.lastsMs + AWAKE_MS,
      );
    if (random.chance(PAUSES)) {
      const [min, max] = PAUSES_MS[random.between(0, 2)] ?? PAUSES_MS[0];
      const lastsMs = random.between(min, max);
      const victim = toPause(isSpared);
      if (victim) faults.push({ atMs, how: 'pause', victim, lastsMs });
    } else {
      const lastsMs = random.between(...DOWN_MS);
      const victim = toKill(isSpared);
      if (victim) faults.push({ atMs, how: 'kill', victim, lastsMs });
      if (victim) killed += 1;
    }
  }
  return [...faults, ...drawRemakes(seed, kills, atMs)].toSorted((a, b) => a.atMs - b.atMs);
}

/** The first half of the run has them, so that new logs grow longer than the old ones were. */
function drawRemakes(seed: number, kills: number, endMs: number): readonly Fault[] {
  const random = randomOf(seed, 'remakes');
  return Array.from({ length: Math.ceil(kills / KILLS_FOR_A_REMAKE) }, () => {
    const atMs = random.between(0, Math.floor(endMs / 2));
    return { atMs, how: 'remake', victim: TOPIC, lastsMs: random.between(...DOWN_MS) };
  });
}

/**
 * While a process is paused for long, its kind is spared: another must be there to take over, and the
 * paused one must have time to do harm when it wakes up.
 */
const isAffected = (victim: Fault['victim'], { how, victim: paused, lastsMs }: Fault): boolean =>
  how === 'pause' && lastsMs >= LONG_MS && kindOf(victim) === kindOf(paused);

const kindOf = (victim: Fault['victim']): string => victim.replace(/-\d$/, '');

/** Draws each card once before any card again. Undefined while all cards that are left are spared. */
function deck<T>(
  cards: readonly T[],
  random: Random,
): (isSpared: (card: T) => boolean) => T | undefined {
  let left: T[] = [];
  return (isSpared) => {
    if (left.length === 0) left = random.shuffled(cards);
    const card = left.find((one) => !isSpared(one));
    left = left.filter((one) => one !== card);
    return card;
  };
}

/** A fault in words, without when it happened. */
export function faultInWords({ how, victim, lastsMs }: Fault): string {
  const seconds = (lastsMs / 1_000).toFixed(1);
  if (how === 'remake') return `${victim} deleted, made anew after ${seconds} s`;
  return how === 'kill'
    ? `SIGKILL ${victim}, started again after ${seconds} s`
    : `SIGSTOP ${victim}, SIGCONT after ${seconds} s`;
}
