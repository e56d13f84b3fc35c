import type { CircuitChange, Circuits, OnCircuitChange } from './circuits.js';
import type { AttemptRecord, Job, Result, Target } from './job.js';
import { JobLedger } from './job-ledger.js';
import { LANE_JOBS_MAX, type Lane, Lanes } from './lanes.js';
import { TargetLoader } from './target-loader.js';

export interface DispatcherNeeds {
  /** Undefined: this replica must not send for the shard now. */
  readonly epochOf: (shard: number) => string | undefined;
  /** Never rejects: every way an attempt can end is a record. */
  readonly send: (job: Job, target: Target) => Promise<AttemptRecord>;
  readonly judge: (job: Job, record: AttemptRecord, epoch: string) => Result;
  readonly push: (result: Result) => void;
  readonly hasRoom: () => boolean;
  readonly circuits: (onChange: OnCircuitChange) => Circuits;
  readonly onCircuitChange: OnCircuitChange;
  readonly loadTargets: (ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>;
  /** Ends what still waits for a webhook that is disabled or deleted. */
  readonly settle: (webhookId: string, status: 'held' | 'cancelled') => void;
  /** There is room again for what waits in the table. */
  readonly wakeReader: () => void;
  readonly onError: (error: unknown) => void;
}

/** Attempts under way at once, over all webhooks. */
const UNDER_WAY_MAX = 64;

/**
 * Sends what is due: a queue for each webhook, taken in turns, each within its own limit. What it
 * knows lives in memory only; the pending rows are the truth, and whatever is lost here is read again.
 */
export class Dispatcher {
  readonly #needs: DispatcherNeeds;
  readonly #lanes: Lanes;
  readonly #ledger = new JobLedger();
  readonly #circuits: Circuits;
  readonly #targets: TargetLoader;
  /** Lanes that may send now, in turns: a set keeps the order in which they were put in. */
  readonly #ready = new Set<Lane>();
  #underWay = 0;
  #reads = 1;
  #stopped = false;

  constructor(needs: DispatcherNeeds) {
    this.#needs = needs;
    this.#circuits = needs.circuits((webhookId, change) => this.#circuitChanged(webhookId, change));
    // An open circuit is stored and taken up again with the lane; nobody else would let go of it.
    this.#lanes = new Lanes((webhookId) => this.#circuits.drop(webhookId));
    this.#targets = new TargetLoader({
      load: needs.loadTargets,
      loaded: (...loaded) => this.#retarget(...loaded),
      onError: needs.onError,
    });
  }

  /** Jobs straight from Kafka, whose rows are committed. What does not fit is found in the table. */
  accept(jobs: readonly Job[]): void {
    for (const job of jobs) this.#offer(job, 'fresh');
    this.#pump();
  }

  /** Jobs read from the table since `beginRead`. */
  acceptDue(jobs: readonly Job[]): void {
    for (const job of this.#ledger.endRead(jobs)) this.#offer(job, 'due');
    this.#pump();
  }

  /** A read of what is due begins. Gives the deliveries it must leave out. */
  beginRead(): readonly string[] {
    this.#reads++;
    return this.#ledger.beginRead();
  }

  /** The read found all that was due, so nothing waits before what comes next. */
  readEverything(exceptWebhooks: readonly string[]): void {
    const except = new Set(exceptWebhooks);
    for (const lane of this.#lanes) {
      if (lane.spilledIn < this.#reads && !except.has(lane.webhookId)) lane.spilledIn = 0;
    }
  }

  /** Webhooks whose jobs would only be turned away. */
  blocked(): readonly string[] {
    return [...this.#lanes].filter((lane) => this.#isBlocked(lane)).map((lane) => lane.webhookId);
  }

  room(): number {
    return this.#ledger.room();
  }

  /** The webhook may have changed: load it before anything else is sent to it. */
  webhookChanged(webhookId: string): void {
    const lane = this.#lanes.get(webhookId);
    if (lane === undefined) return;
    lane.stale = true;
    this.#ready.delete(lane);
    this.#targets.want(webhookId);
  }

  /** All webhooks that are looked after here, with the version they are known in. */
  known(): ReadonlyMap<string, number> {
    return new Map([...this.#lanes].map((lane) => [lane.webhookId, lane.target?.version ?? 0]));
  }

  /** Loads again what could not be loaded before. */
  retryLoading(): void {
    this.#targets.retry();
  }

  busy(shard: number): boolean {
    return this.#ledger.busy(shard);
  }

  /** The shard is somebody else's now. */
  dropShard(shard: number): void {
    for (const lane of this.#lanes) {
      const [dropped, kept] = split(lane.queue, (job) => job.shard === shard);
      lane.queue = kept;
      for (const job of dropped) this.#ledger.forget(job);
    }
  }

  written(results: readonly Result[]): void {
    for (const { job } of results) this.#ledger.finish(job);
    this.#pump();
  }

  /** Sends nothing more; resolves when nothing is under way, or the time is over. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true;
    const endMs = performance.now() + deadlineMs;
    while (this.#underWay > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.#circuits.stop();
  }

  #offer(job: Job, source: 'fresh' | 'due'): void {
    if (this.#ledger.knows(job) || this.#needs.epochOf(job.shard) === undefined) return;
    const lane = this.#lanes.open(job.webhookId);
    if (lane === undefined) return;

    const mustQueueBehind = source === 'fresh' && lane.spilledIn > 0;
    const isFull = lane.queue.length >= LANE_JOBS_MAX || !this.#ledger.hasRoomFor(job);
    if (mustQueueBehind || isFull) {
      lane.spilledIn = this.#reads;
      return;
    }
    lane.wantedVersion = Math.max(lane.wantedVersion, job.webhookVersion);
    if (isLoaded(lane) && lane.target?.status === 'disabled') {
      this.#targets.need(lane.webhookId);
      return;
    }
    if (isLoaded(lane) && this.#rests(lane)) {
      lane.spilledIn = this.#reads;
      return;
    }

    this.#ledger.add(job);
    lane.queue.push(job);
    if (isLoaded(lane)) this.#consider(lane);
    else this.#targets.need(lane.webhookId);
  }

  #pump(): void {
    while (!this.#stopped && this.#underWay < UNDER_WAY_MAX && this.#needs.hasRoom()) {
      const [lane] = this.#ready;
      if (lane === undefined) return;
      this.#ready.delete(lane);
      if (this.#maySend(lane)) this.#sendNext(lane);
    }
  }

  #sendNext(lane: Lane): void {
    const job = lane.queue.shift();
    if (job === undefined || lane.target === undefined) return;

    const epoch = this.#needs.epochOf(job.shard);
    if (epoch === undefined) {
      this.#ledger.forget(job);
      this.dropShard(job.shard);
    } else {
      lane.underWay++;
      this.#underWay++;
      this.#ledger.start(job);
      void this.#attempt(lane, job, lane.target, epoch);
    }
    if (lane.spilledIn > 0 && lane.queue.length === LANE_JOBS_MAX / 2) this.#needs.wakeReader();
    this.#consider(lane);
  }

  async #attempt(lane: Lane, job: Job, target: Target, epoch: string): Promise<void> {
    try {
      const record = await this.#circuits.run(job.webhookId, async () =>
        this.#needs.send(job, target),
      );
      this.#needs.push(this.#needs.judge(job, record, epoch));
    } catch (error) {
      // A mistake of ours, not the receiver's: the row stays as it is and is read again.
      this.#needs.onError(error);
      this.#ledger.finish(job);
    } finally {
      lane.underWay--;
      this.#underWay--;
      this.#consider(lane);
      this.#pump();
    }
  }

  #consider(lane: Lane): void {
    if (this.#maySend(lane)) this.#ready.add(lane);
  }

  #maySend(lane: Lane): boolean {
    return (
      lane.queue.length > 0 &&
      isLoaded(lane) &&
      lane.target?.status === 'active' &&
      this.#circuits.permits(lane.webhookId, lane.underWay)
    );
  }

  #isBlocked(lane: Lane): boolean {
    return lane.queue.length >= LANE_JOBS_MAX || this.#rests(lane);
  }

  #rests(lane: Lane): boolean {
    return lane.target?.status === 'paused' || this.#circuits.isOpen(lane.webhookId);
  }

  #retarget(webhookId: string, target: Target | undefined, isLast: boolean): void {
    const lane = this.#lanes.get(webhookId);
    if (lane === undefined) return;
    const before = lane.target;
    lane.target = target;
    if (isLast) lane.stale = false;
    // The load began before the change that a job has seen: that change is there now.
    if (target && target.version < lane.wantedVersion) this.#targets.want(webhookId);

    if (before !== undefined && before.url !== target?.url) this.#circuits.drop(webhookId);
    if (before === undefined && target?.probeAt) this.#circuits.restore(webhookId, target.probeAt);
    if (target === undefined || target.status === 'disabled') {
      this.#empty(lane);
      this.#needs.settle(webhookId, target === undefined ? 'cancelled' : 'held');
      if (target === undefined) this.#lanes.delete(webhookId);
    }
    if (this.#rests(lane)) this.#spill(lane);
    if (target?.status === 'active' && before?.status !== 'active') this.#needs.wakeReader();
    this.#consider(lane);
    this.#pump();
  }

  /** What a resting webhook has queued would take the room of all others. The table has it too. */
  #spill(lane: Lane): void {
    if (lane.queue.length === 0) return;
    lane.spilledIn = this.#reads;
    this.#empty(lane);
  }

  #empty(lane: Lane): void {
    for (const job of lane.queue) this.#ledger.forget(job);
    lane.queue = [];
    this.#ready.delete(lane);
  }

  #circuitChanged(webhookId: string, change: CircuitChange): void {
    this.#needs.onCircuitChange(webhookId, change);
    const lane = this.#lanes.get(webhookId);
    if (lane === undefined) return;
    if (change.to === 'open') {
      this.#spill(lane);
      return;
    }
    if (lane.queue.length < LANE_JOBS_MAX / 2) this.#needs.wakeReader();
    this.#consider(lane);
    this.#pump();
  }
}

const isLoaded = (lane: Lane): boolean =>
  lane.target !== undefined && !lane.stale && lane.target.version >= lane.wantedVersion;

function split<T>(items: readonly T[], belongs: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}
