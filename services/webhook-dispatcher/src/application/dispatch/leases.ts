import { SHARDS } from '../../domain/shard.js';
import { preferredOwner, type Replica } from './rendezvous.js';

/** Who sends for which shards, as kept in the database. */
export interface LeaseStore {
  /** Says that this replica lives and which partitions it consumes, and gives all that do. */
  announce(owner: string, partitions: readonly number[]): Promise<readonly Replica[]>;
  /** Renews what is mine of these and takes what is free; gives what is mine now. */
  hold(owner: string, shards: readonly number[]): Promise<readonly HeldShard[]>;
  release(owner: string, shards: readonly number[]): Promise<void>;
  /** No longer counts among those that live, so that the others want its shards. */
  retire(owner: string): Promise<void>;
  /** Gives everything up: the others need not wait for the expiry. */
  leave(owner: string): Promise<void>;
}

export interface HeldShard {
  readonly shard: number;
  readonly epoch: string;
}

export interface LeaseOptions {
  readonly store: LeaseStore;
  readonly owner: string;
  /** Of the topic of events: what this replica consumes now. */
  readonly partitions: () => readonly number[];
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
  /** True while work of the shard is under way or unwritten: for a while it is not given away. */
  readonly busy: (shard: number) => boolean;
  /** The shard went to somebody else, or its lease ran out and came back. */
  readonly onLost: (shard: number) => void;
  /** Shards came to this replica. */
  readonly onGained: () => void;
  /** Shards were given up, for another to take. */
  readonly onReleased: () => void;
  readonly onError: (error: unknown) => void;
}

export interface Leases {
  /** The epoch to write results under; undefined: this replica must not send for the shard. */
  epochOf(shard: number): string | undefined;
  owned(): readonly number[];
  healthy(): boolean;
  /** Shards are free: takes them, if they are for this replica, without waiting for the next renewal. */
  seize(): void;
  /**
   * Sends nothing under any lease from now on, and gives each shard up as soon as nothing of it is under
   * way, or after two seconds; at the deadline the rest as well.
   */
  stop(deadlineMs: number): Promise<void>;
}

const RENEW_EVERY_MS = 2_000;
/** The lease expires 6 s after a renewal by the database's clock; by ours it counts for less. */
const TRUSTED_FOR_MS = 5_000;
const LEAVE_POLL_MS = 20;
/** Whether a shard that is to go is free to. */
const LOOK_EVERY_MS = 100;

/**
 * What is under way is waited for that long before its shard is given up all the same: an endpoint that does not
 * answer must not keep everybody else's deliveries of the shard waiting. The next owner sends it again, by the
 * same webhook-id.
 */
const LEAVE_WITHIN_MS = 2_000;

interface Lease {
  readonly epoch: string;
  readonly untilMs: number;
  /**
   * Since when it is preferred by another replica: no new sends, and released when nothing is under way.
   * Undefined: it is not.
   */
  readonly leavingSinceMs: number | undefined;
}

/** Holds this replica's share of the shards, beginning with a first round before it returns. */
export async function keepLeases(options: LeaseOptions): Promise<Leases> {
  const { store, owner, partitions, monotonicMs, onGained, onReleased, onError } = options;
  let leases: ReadonlyMap<number, Lease> = new Map();

  const renew = async () => {
    const startedMs = monotonicMs();
    const wanted = wantedShards(owner, await store.announce(owner, partitions()));
    // First nothing new is sent, then it is seen whether anything is under way: not the other way.
    leases = markLeaving(leases, wanted, startedMs);
    const before = leases;
    leases = await renewed(before, wanted, startedMs, options);
    if ([...leases.keys()].some((shard) => !before.has(shard))) onGained();
  };

  const leave = async (endMs: number) => {
    await store.retire(owner);
    leases = markLeaving(leases, [], monotonicMs());
    for (;;) {
      leases = await renewed(leases, [], monotonicMs(), options);
      if (leases.size === 0 || monotonicMs() >= endMs) return;
      await new Promise((resolve) => setTimeout(resolve, LEAVE_POLL_MS));
    }
  };

  await renew();
  const mayAnyLeave = () => [...leases].some(([shard, lease]) => mayLeave(shard, lease, options));
  const rounds = renewals(renew, mayAnyLeave, onError);

  const valid = (lease: Lease | undefined): lease is Lease =>
    lease !== undefined && !isLeaving(lease) && monotonicMs() < lease.untilMs;

  return {
    epochOf: (shard) => {
      const lease = leases.get(shard);
      return valid(lease) ? lease.epoch : undefined;
    },
    owned: () => [...leases].filter(([, lease]) => valid(lease)).map(([shard]) => shard),
    healthy: () => [...leases.values()].every((lease) => isLeaving(lease) || valid(lease)),
    seize: () => rounds.now(),
    async stop(deadlineMs) {
      const endMs = monotonicMs() + deadlineMs;
      await rounds.stop();
      await leave(endMs).catch(onError);
      leases = new Map();
      await store.leave(owner);
      onReleased();
    },
  };
}

/**
 * One at a time: in their turn, at once when they are called for, and soon when one is `wanted`, unless the last
 * one failed.
 */
function renewals(
  renew: () => Promise<void>,
  wanted: () => boolean,
  onError: (error: unknown) => void,
): { now(): void; stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let hasFailed = false;

  const failed = (error: unknown) => {
    hasFailed = true;
    onError(error);
  };
  const rest = () => {
    round = undefined;
    if (!stopped) timer = setTimeout(begin, RENEW_EVERY_MS);
  };
  const begin = () => {
    clearTimeout(timer);
    if (stopped) return;
    round ??= renew()
      .then(() => void (hasFailed = false), failed)
      .finally(rest);
  };
  const looking = setInterval(() => {
    if (!hasFailed && wanted()) begin();
  }, LOOK_EVERY_MS);

  rest();
  return {
    now: begin,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearInterval(looking);
      await round;
    },
  };
}

const wantedShards = (owner: string, alive: readonly Replica[]): readonly number[] =>
  allShards.filter((shard) => preferredOwner(shard, alive) === owner);

const isLeaving = ({ leavingSinceMs }: Lease): boolean => leavingSinceMs !== undefined;

const mayLeave = (
  shard: number,
  { leavingSinceMs }: Lease,
  { busy, monotonicMs }: Pick<LeaseOptions, 'busy' | 'monotonicMs'>,
): boolean =>
  leavingSinceMs !== undefined &&
  (!busy(shard) || monotonicMs() - leavingSinceMs >= LEAVE_WITHIN_MS);

function markLeaving(
  leases: ReadonlyMap<number, Lease>,
  wanted: readonly number[],
  nowMs: number,
): ReadonlyMap<number, Lease> {
  const marked = ([shard, lease]: [number, Lease]): [number, Lease] => {
    const leavingSinceMs = wanted.includes(shard) ? undefined : (lease.leavingSinceMs ?? nowMs);
    return [shard, { ...lease, leavingSinceMs }];
  };
  return new Map([...leases].map(marked));
}

async function renewed(
  before: ReadonlyMap<number, Lease>,
  wanted: readonly number[],
  startedMs: number,
  options: LeaseOptions,
): Promise<ReadonlyMap<number, Lease>> {
  const { store, owner, onLost, onReleased } = options;
  const leaving = [...before].filter(([, lease]) => isLeaving(lease));
  const finished = leaving.filter((entry) => mayLeave(...entry, options)).map(([shard]) => shard);
  const finishing = leaving.map(([shard]) => shard).filter((shard) => !finished.includes(shard));

  const held = await store.hold(owner, [...wanted, ...finishing]);
  const untilMs = startedMs + TRUSTED_FOR_MS;
  const after = new Map(
    held.map(({ shard, epoch }) => {
      const leavingSinceMs = before.get(shard)?.leavingSinceMs;
      return [shard, { epoch, untilMs, leavingSinceMs }];
    }),
  );

  if (finished.length > 0) {
    await store.release(owner, finished);
    onReleased();
  }
  for (const [shard, lease] of before) {
    if (after.get(shard)?.epoch !== lease.epoch) onLost(shard);
  }
  return after;
}

const allShards = Array.from({ length: SHARDS }, (_, shard) => shard);
