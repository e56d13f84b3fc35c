import { repeat } from '@junction/async';
import { LEASE, type LeaseTable, trustedMs } from './lease-table.js';

export interface KeepOptions<K> {
  readonly table: LeaseTable<K>;
  /** Announces that this owner lives, and returns the keys of its portion. */
  readonly wanted: () => Promise<readonly K[]>;
  /** Announces that this owner wants no keys from now on. */
  readonly retire: () => Promise<void>;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
  /** Returns true while work of the key is under way or unwritten: such a key is kept for a while. */
  readonly busy: (key: K) => boolean;
  /** Called when a key went to another owner, or when its lease ran out and came back. */
  readonly onLost: (key: K) => void;
  /** Called with the number of keys that came to this owner. */
  readonly onGained: (count: number) => void;
  /** Called when keys were given up, for another owner to take. */
  readonly onReleased: () => void;
  readonly onError: (error: unknown) => void;
}

export interface Leases<K> {
  /** Returns the epoch to write results under; undefined: this owner must not work at the key. */
  epochOf(key: K): string | undefined;
  owned(): readonly K[];
  healthy(): boolean;
  /** Takes wanted keys that are free, without waiting for the next renewal. */
  seize(): void;
  /**
   * Starts no further work under any lease, and gives each key up as soon as no work of it is under way, or after two
   * seconds; at the deadline the remaining keys as well.
   */
  stop(deadlineMs: number): Promise<void>;
}

const TRUSTED_FOR_MS = trustedMs(LEASE.expiryMs);
const LEAVE_POLL_MS = 20;
/** Interval of checking whether a leaving key can be given up. */
const LOOK_EVERY_MS = 100;

/**
 * Milliseconds that work under way may delay giving up its key: long work must not keep all other work of the key
 * waiting. The next owner starts the work again.
 */
const LEAVE_WITHIN_MS = 2_000;

interface Lease {
  readonly epoch: string;
  readonly untilMs: number;
  /**
   * Time since which another owner is to have the key: no new work is started, and the key is released when no work is
   * under way. Undefined: the key stays here.
   */
  readonly leavingSinceMs: number | undefined;
}

type Held<K> = ReadonlyMap<K, Lease>;

/** Holds this owner's portion of the keys. The first round is done before this function returns. */
export async function keepLeases<K>(options: KeepOptions<K>): Promise<Leases<K>> {
  const { table, wanted, retire, monotonicMs, onGained, onReleased, onError } = options;
  let leases: Held<K> = new Map();

  /** Returns the milliseconds until the next round, if sooner than usual. */
  const round = async (share: readonly K[]): Promise<number | undefined> => {
    // New work is stopped before checking whether any is under way: the other order would miss work that starts in
    // between.
    const before = markLeaving(leases, share, monotonicMs());
    leases = before;
    leases = await renewed(before, share, options);
    const gained = [...leases.keys()].filter((key) => !before.has(key)).length;
    if (gained > 0) onGained(gained);
    return [...leases.values()].some(isLeaving) ? LOOK_EVERY_MS : undefined;
  };
  const renew = async () => round(await wanted());

  const leave = async (endMs: number) => {
    await retire();
    while ((await round([])) !== undefined && monotonicMs() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, LEAVE_POLL_MS));
    }
  };

  await renew();
  const renewing = repeat(LEASE.renewMs, renew, onError);

  const valid = (lease: Lease | undefined): lease is Lease =>
    lease !== undefined && !isLeaving(lease) && monotonicMs() < lease.untilMs;

  return {
    epochOf: (key) => {
      const lease = leases.get(key);
      return valid(lease) ? lease.epoch : undefined;
    },
    owned: () => [...leases].filter(([, lease]) => valid(lease)).map(([key]) => key),
    healthy: () => [...leases.values()].every((lease) => isLeaving(lease) || valid(lease)),
    seize: () => renewing.wake(),
    async stop(deadlineMs) {
      const endMs = monotonicMs() + deadlineMs;
      await renewing.stop();
      await leave(endMs).catch(onError);
      leases = new Map();
      await Promise.all([table.leave(), retire()]);
      onReleased();
    },
  };
}

const isLeaving = ({ leavingSinceMs }: Lease): boolean => leavingSinceMs !== undefined;

const markLeaving = <K>(leases: Held<K>, share: readonly K[], nowMs: number): Held<K> =>
  new Map(
    [...leases].map(([key, lease]) => {
      const leavingSinceMs = share.includes(key) ? undefined : (lease.leavingSinceMs ?? nowMs);
      return [key, { ...lease, leavingSinceMs }];
    }),
  );

async function renewed<K>(
  before: Held<K>,
  share: readonly K[],
  { table, busy, monotonicMs, onLost, onReleased }: KeepOptions<K>,
): Promise<Held<K>> {
  const startedMs = monotonicMs();
  const mayLeave = ([key, { leavingSinceMs = startedMs }]: readonly [K, Lease]) =>
    !busy(key) || startedMs - leavingSinceMs >= LEAVE_WITHIN_MS;
  const leaving = [...before].filter(([, lease]) => isLeaving(lease));
  const finished = leaving.filter(mayLeave).map(([key]) => key);
  const finishing = leaving.map(([key]) => key).filter((key) => !finished.includes(key));

  const held = await table.hold([...share, ...finishing]);
  const untilMs = startedMs + TRUSTED_FOR_MS;
  const after = new Map(
    held.map(({ key, epoch }) => {
      const leavingSinceMs = before.get(key)?.leavingSinceMs;
      return [key, { epoch, untilMs, leavingSinceMs }];
    }),
  );

  if (finished.length > 0) {
    await table.release(finished);
    onReleased();
  }
  const nowMs = monotonicMs();
  for (const [key, lease] of before) {
    // A lease that ran out keeps its epoch if nobody took it, though this owner may have missed changes meanwhile.
    if (after.get(key)?.epoch !== lease.epoch || lease.untilMs <= nowMs) onLost(key);
  }
  return after;
}
