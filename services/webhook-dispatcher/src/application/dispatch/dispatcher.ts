import type { CircuitChange, Circuits, OnCircuitChange } from './circuits.js';
import { isFailing } from './failing.js';
import type { AttemptRecord, Job, Result, Target } from './job.js';
import { JobLedger } from './job-ledger.js';
import { jobsMaxOf, type Lane, Lanes } from './lanes.js';
import type { OrderedWork } from './ordered-work.js';
import { FAILING_PACE, type Pace, paced, placeOf } from './pace.js';
import { LITTLE_ROOM, Queues, type Source } from './queues.js';
import { TargetLoader } from './target-loader.js';
import { TokenBucket } from './token-bucket.js';
import { UnderWay, type UnderWayAttempt } from './under-way.js';

export interface DispatcherNeeds {
  /** Undefined: this replica must not send for the shard now. */
  readonly epochOf: (shard: number) => string | undefined;
  /** Never rejects: every way an attempt can end is a record. */
  readonly send: (job: Job, target: Target) => Promise<AttemptRecord>;
  readonly judge: (job: Job, record: AttemptRecord, epoch: string, target: Target) => Result;
  readonly push: (result: Result) => void;
  readonly hasRoom: () => boolean;
  readonly circuits: (onChange: OnCircuitChange) => Circuits;
  readonly onCircuitChange: OnCircuitChange;
  readonly loadTargets: (ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>;
  /** Ends what still waits for a webhook that is disabled or deleted. */
  readonly settle: (webhookId: string, status: 'held' | 'cancelled') => void;
  /** The events of this user may go straight to their webhooks, or the table is to hold them back. */
  readonly admits: (userId: string) => boolean;
  /** Jobs are committed that another replica is to send. */
  readonly tellOthers: () => void;
  /** There is room again for what waits in the table. */
  readonly wakeReader: () => void;
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** While webhooks that are not slow have so much to do, more would only go through the table. */
const READY_BELOW_JOBS = 1_000;
const READY_WITHIN_MS = 500;
const SOON_MS = 1_000;
/** What an attempt is charged at least: one that takes no time at all would always be next. */
const USED_MIN_MS = 0.1;

/**
 * Sends what is due: a queue for each webhook, taken in turns by the time they use, each within a limit
 * that adapts to it. What it knows lives in memory only; the pending rows are the truth, and whatever is
 * lost here is read again.
 */
export class Dispatcher {
  readonly #needs: DispatcherNeeds;
  readonly #lanes: Lanes;
  readonly #ledger = new JobLedger();
  readonly #queues = new Queues(this.#ledger);
  readonly #circuits: Circuits;
  readonly #targets: TargetLoader;
  readonly #underWay: UnderWay;
  /** Who waits for room. */
  #waiting: (() => void)[] = [];
  #reads = 1;
  #stopped = false;

  constructor(needs: DispatcherNeeds) {
    this.#needs = needs;
    this.#underWay = new UnderWay({
      monotonicMs: needs.monotonicMs,
      onSlow: (lanes) => {
        for (const lane of lanes) this.#setPace(lane, { ...lane.pace, kind: 'slow' });
        this.#pump();
        this.#resumeIfReady();
      },
      onTick: () => this.#pump(),
    });
    this.#circuits = needs.circuits((webhookId, change) => this.#circuitChanged(webhookId, change));
    // An open circuit is stored and taken up again with the lane; nobody else would let go of it.
    this.#lanes = new Lanes((webhookId) => this.#circuits.drop(webhookId));
    this.#targets = new TargetLoader({
      load: needs.loadTargets,
      loaded: (...loaded) => this.#retarget(...loaded),
      onError: needs.onError,
    });
  }

  /**
   * Resolves when more may be taken in; soon in any case, so that one who is stuck does not hold up all.
   */
  async ready(): Promise<void> {
    if (this.#isReady()) return;
    await new Promise<void>((resolve) => {
      const overdue = setTimeout(resolve, READY_WITHIN_MS);
      this.#waiting.push(() => {
        clearTimeout(overdue);
        resolve();
      });
    });
  }

  /**
   * What waits for slow webhooks, in its queue or for their answer, holds nobody up; nor does what waits for a
   * first try, once that takes long because of others.
   */
  #isReady(): boolean {
    const untried = this.#underWay.isCrowded ? this.#queues.count('new') : 0;
    const stuck = this.#queues.count('slow') + untried + this.#underWay.others;
    return this.#ledger.size - stuck < READY_BELOW_JOBS;
  }

  #resumeIfReady(): void {
    if (!this.#isReady()) return;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Jobs straight from Kafka, whose rows are committed. What does not fit is found in the table. */
  accept(jobs: readonly Job[]): void {
    let messageId: string | undefined;
    let isAdmitted = true;
    let isForOthers = false;
    for (const job of jobs) {
      // One event counts once, for however many webhooks it is.
      if (job.messageId !== messageId) isAdmitted = this.#needs.admits(job.userId);
      messageId = job.messageId;
      if (this.#needs.epochOf(job.shard) === undefined) isForOthers = true;
      else if (isAdmitted) this.#offer(job, 'fresh');
      else this.#leave(job);
    }
    if (isForOthers) this.#needs.tellOthers();
    this.#pump();
  }

  /** Jobs read from the table since `beginRead`. Gives how many of them it had to turn away. */
  acceptDue(jobs: readonly Job[]): number {
    let turnedAway = 0;
    for (const job of this.#ledger.endRead(jobs)) if (!this.#offer(job, 'due')) turnedAway++;
    this.#pump();
    return turnedAway;
  }

  /**
   * Ordered webhooks that have nothing in hand here and something in the table. What is read of them
   * while nothing can come between is the beginning of what waits.
   */
  orderedWaiting(): readonly string[] {
    const nowMs = this.#needs.monotonicMs();
    return [...this.#lanes]
      .filter((lane) => this.#isOrderedAndIdle(lane) && lane.headDueAtMs <= nowMs)
      .filter((lane) => this.#needs.epochOf(lane.shard) !== undefined)
      .map((lane) => lane.webhookId);
  }

  /** What was read since of these webhooks: the oldest of each, in their order, as far as it is due. */
  acceptOrdered(asked: readonly string[], work: OrderedWork): void {
    for (const webhookId of asked) {
      const lane = this.#lanes.get(webhookId);
      if (lane === undefined || !this.#isOrderedAndIdle(lane)) continue;
      const head = work.get(webhookId);
      if (head === undefined && lane.spilledIn < this.#reads) lane.spilledIn = 0;
      lane.headDueAtMs = this.#needs.monotonicMs() + (head?.waitMs ?? 0);
      // One for which there is no room must not be overtaken by those behind it.
      head?.jobs.every((job) => this.#offer(job, 'ordered'));
    }
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

  /** The read found all that was due of these webhooks. */
  readAllOf(webhookIds: readonly string[]): void {
    for (const webhookId of webhookIds) {
      const lane = this.#lanes.get(webhookId);
      if (lane !== undefined && lane.spilledIn < this.#reads) lane.spilledIn = 0;
    }
  }

  /** Webhooks whose jobs would only be turned away. */
  blocked(): readonly string[] {
    return [...this.#lanes].filter((lane) => this.#isBlocked(lane)).map((lane) => lane.webhookId);
  }

  /** Webhooks for which there is room of their own, however little is left for those that are not quick. */
  quick(): readonly string[] {
    return [...this.#lanes]
      .filter((lane) => lane.pace.kind === 'swift' && !this.#isBlocked(lane))
      .map((lane) => lane.webhookId);
  }

  room(): number {
    return this.#ledger.room();
  }

  /** For jobs of webhooks that are not known to be quick. */
  roomForOthers(): number {
    return this.#queues.roomForOthers;
  }

  /** The webhook may have changed: load it before anything else is sent to it. */
  webhookChanged(webhookId: string): void {
    const lane = this.#lanes.get(webhookId);
    if (lane === undefined) return;
    lane.stale = true;
    this.#queues.rest(lane);
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

  /** The shard is somebody else's now, and what is known of its webhooks is out of date from now on. */
  dropShard(shard: number): void {
    for (const lane of this.#lanes) {
      if (lane.shard !== shard) continue;
      this.#queues.empty(lane);
      if (lane.underWay === 0 && lane.unwritten === 0) this.#lanes.delete(lane);
      else {
        this.#forgetWhatWas(lane);
        this.#leaveToOrderedRead(lane);
      }
    }
  }

  written(results: readonly Result[]): void {
    for (const { job } of results) this.#finish(job);
    if (results.some(isSoonAgain)) this.#needs.wakeReader();
    this.#pump();
    this.#resumeIfReady();
  }

  /** Sends nothing more; resolves when nothing is under way, or the time is over. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true;
    const endMs = this.#needs.monotonicMs() + deadlineMs;
    while (this.#underWay.count > 0 && this.#needs.monotonicMs() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const lane of this.#lanes) clearTimeout(lane.refill);
    this.#underWay.stop();
    this.#circuits.stop();
  }

  /** Says whether it was taken. */
  #offer(job: Job, source: Source): boolean {
    const epoch = this.#needs.epochOf(job.shard);
    if (this.#ledger.knows(job) || epoch === undefined) return false;
    const lane = this.#lanes.open(job);
    if (lane === undefined) return false;
    if (lane.epoch !== undefined && lane.epoch !== epoch) this.#forgetWhatWas(lane);
    lane.epoch = epoch;

    if (lane.target?.ordered === true && source !== 'ordered') {
      lane.wantedVersion = Math.max(lane.wantedVersion, job.webhookVersion);
      if (!isLoaded(lane)) this.#targets.need(lane.webhookId);
      this.#leaveToOrderedRead(lane);
      return false;
    }
    const mustQueueBehind = source === 'fresh' && lane.spilledIn > 0;
    if (mustQueueBehind || !this.#queues.hasRoomFor(lane, job, source)) {
      lane.spilledIn = this.#reads;
      return false;
    }
    lane.wantedVersion = Math.max(lane.wantedVersion, job.webhookVersion);
    if (isLoaded(lane) && lane.target?.status === 'disabled') {
      this.#targets.need(lane.webhookId);
      return false;
    }
    if (isLoaded(lane) && this.#rests(lane)) {
      lane.spilledIn = this.#reads;
      return false;
    }

    this.#queues.push(lane, job);
    if (isLoaded(lane)) this.#consider(lane);
    else this.#targets.need(lane.webhookId);
    return true;
  }

  /** Another replica may have looked after it meanwhile, and has learned more of it. */
  #forgetWhatWas({ webhookId }: Lane): void {
    this.#circuits.drop(webhookId);
    this.webhookChanged(webhookId);
  }

  /** Leaves it to a read of the table; what comes later must not overtake it. */
  #leave(job: Job): void {
    const lane = this.#lanes.open(job);
    if (lane === undefined || this.#ledger.knows(job)) return;
    lane.spilledIn = this.#reads;
    this.#needs.wakeReader();
  }

  #pump(): void {
    while (!this.#stopped && this.#needs.hasRoom()) {
      const lane = this.#queues.next(this.#underWay);
      if (lane === undefined) return;
      if (this.#maySend(lane)) this.#sendNext(lane);
    }
  }

  #sendNext(lane: Lane): void {
    if (lane.target === undefined) return;
    const job = this.#queues.shift(lane);
    if (job === undefined) return;

    const epoch = this.#needs.epochOf(job.shard);
    if (epoch === undefined) {
      this.#ledger.forget(job);
      this.dropShard(job.shard);
    } else {
      lane.unwritten++;
      lane.lastKind = job.kind;
      lane.bucket?.take(this.#needs.monotonicMs());
      this.#ledger.start(job);
      void this.#attempt(this.#underWay.begin(lane), job, lane.target, epoch);
    }
    const isHalfEmpty = lane.spilledIn > 0 && lane.queue.length === Math.floor(jobsMaxOf(lane) / 2);
    const makesRoom = lane.pace.kind !== 'swift' && this.#queues.roomForOthers === LITTLE_ROOM;
    if (isHalfEmpty || makesRoom) this.#needs.wakeReader();
    this.#consider(lane);
  }

  async #attempt(attempt: UnderWayAttempt, job: Job, target: Target, epoch: string): Promise<void> {
    const { lane } = attempt;
    try {
      const record = await this.#circuits.run(job.webhookId, () => this.#needs.send(job, target));
      this.#learn(lane, record);
      const result = this.#needs.judge(job, record, epoch, target);
      // What comes behind it has to wait for it in the table, where it waits itself.
      if (result.fact.type === 'delivery.attempt_failed') this.#holdRest(lane);
      this.#needs.push(result);
    } catch (error) {
      // A mistake of ours, not the receiver's: the row stays as it is and is read again.
      this.#needs.onError(error);
      this.#holdRest(lane);
      this.#finish(job);
    } finally {
      this.#underWay.end(attempt);
      this.#consider(lane);
      this.#pump();
    }
  }

  #finish(job: Job): void {
    this.#ledger.finish(job);
    const lane = this.#lanes.get(job.webhookId);
    if (lane === undefined) return;
    lane.unwritten = Math.max(0, lane.unwritten - 1);
    if (lane.target?.ordered !== true) return;
    this.#consider(lane);
    if (this.#isOrderedAndIdle(lane)) this.#needs.wakeReader();
  }

  #learn(lane: Lane, record: AttemptRecord): void {
    const { totalMs } = record;
    lane.usedMs += Math.max(USED_MIN_MS, totalMs);
    const { underWay } = lane;
    this.#setPace(lane, paced(lane.pace, { isWell: !isFailing(record), totalMs, underWay }));
  }

  #setPace(lane: Lane, pace: Pace): void {
    const before = lane.pace;
    if (placeOf(before) === placeOf(pace)) {
      lane.pace = pace;
      return;
    }
    this.#queues.setPace(lane, pace);
    if (this.#queues.cut(lane, jobsMaxOf(lane))) lane.spilledIn = this.#reads;
    this.#consider(lane);
  }

  #consider(lane: Lane): void {
    if (!this.#maySend(lane)) return;
    const waitMs = lane.bucket?.waitMs(this.#needs.monotonicMs()) ?? 0;
    if (waitMs > 0) this.#considerIn(lane, waitMs);
    else this.#queues.add(lane);
  }

  #considerIn(lane: Lane, waitMs: number): void {
    lane.refill ??= setTimeout(() => {
      lane.refill = undefined;
      this.#consider(lane);
      this.#pump();
    }, Math.ceil(waitMs));
  }

  #maySend(lane: Lane): boolean {
    return (
      lane.queue.length > 0 &&
      isLoaded(lane) &&
      lane.target?.status === 'active' &&
      lane.underWay < Math.floor(lane.pace.limit) &&
      (lane.target.ordered !== true || lane.unwritten === 0) &&
      this.#circuits.permits(lane.webhookId, lane.underWay)
    );
  }

  #isBlocked(lane: Lane): boolean {
    // One that has nothing in the table, as far as is known, may be surprised by what another replica
    // filed there; what is known to wait is read in its order.
    const isReadInOrder = lane.target?.ordered === true && lane.spilledIn > 0;
    return lane.queue.length >= jobsMaxOf(lane) || this.#rests(lane) || isReadInOrder;
  }

  #rests(lane: Lane): boolean {
    return lane.target?.status === 'paused' || this.#circuits.isOpen(lane.webhookId);
  }

  #isOrderedAndIdle(lane: Lane): boolean {
    const isIdle = lane.queue.length === 0 && lane.unwritten === 0;
    return (
      isIdle &&
      lane.spilledIn > 0 &&
      isLoaded(lane) &&
      lane.target?.ordered === true &&
      lane.target.status === 'active' &&
      this.#circuits.permits(lane.webhookId, 0)
    );
  }

  #holdRest(lane: Lane): void {
    if (lane.target?.ordered !== true) return;
    this.#queues.empty(lane);
    this.#leaveToOrderedRead(lane);
  }

  #leaveToOrderedRead(lane: Lane): void {
    lane.spilledIn = this.#reads;
    lane.headDueAtMs = 0;
    if (this.#isOrderedAndIdle(lane)) this.#needs.wakeReader();
  }

  #limit(lane: Lane, perS: number | undefined): void {
    if (lane.bucket?.perS === perS) return;
    clearTimeout(lane.refill);
    lane.refill = undefined;
    lane.bucket = perS === undefined ? undefined : new TokenBucket(perS, this.#needs.monotonicMs());
  }

  #retarget(webhookId: string, target: Target | undefined, isLast: boolean): void {
    const lane = this.#lanes.get(webhookId);
    if (lane === undefined) return;
    const before = lane.target;
    lane.target = target;
    if (isLast) lane.stale = false;
    // The load began before the change that a job has seen: that change is there now.
    if (target && target.version < lane.wantedVersion) this.#targets.want(webhookId);

    if (before === undefined && target?.isFailing === true && lane.pace.kind === 'new') {
      this.#setPace(lane, FAILING_PACE);
    }
    if (before !== undefined && before.url !== target?.url) this.#circuits.drop(webhookId);
    if (target?.rest) this.#circuits.restore(webhookId, target.rest);
    if (target === undefined || target.status === 'disabled') {
      this.#queues.empty(lane);
      this.#needs.settle(webhookId, target === undefined ? 'cancelled' : 'held');
      if (target === undefined) this.#lanes.delete(lane);
    }
    this.#limit(lane, target?.rateLimit);
    if (target?.ordered === true && before?.ordered !== true) this.#holdRest(lane);
    if (this.#rests(lane)) this.#spill(lane);
    const wasLoaded = before !== undefined;
    if (wasLoaded && before.status !== 'active' && target?.status === 'active') {
      this.#needs.wakeReader();
    }
    this.#consider(lane);
    this.#pump();
  }

  /** What a resting webhook has queued would take the room of all others. The table has it too. */
  #spill(lane: Lane): void {
    if (this.#queues.empty(lane)) lane.spilledIn = this.#reads;
  }

  #circuitChanged(webhookId: string, change: CircuitChange): void {
    const lane = this.#lanes.get(webhookId);
    if (lane === undefined) return;
    // What is learned after the shard has gone would be written over what its next owner learns.
    if (lane.epoch === this.#needs.epochOf(lane.shard)) {
      this.#needs.onCircuitChange(webhookId, change, lane.lastKind);
    }
    if (change.to === 'open') {
      this.#spill(lane);
      return;
    }
    if (lane.queue.length < jobsMaxOf(lane) / 2) this.#needs.wakeReader();
    this.#consider(lane);
    this.#pump();
  }
}

/** Before the reader would look again by itself. */
const isSoonAgain = ({ fact }: Result): boolean =>
  fact.type === 'delivery.attempt_failed' && fact.data.delayMs <= SOON_MS;

const isLoaded = (lane: Lane): boolean =>
  lane.target !== undefined && !lane.stale && lane.target.version >= lane.wantedVersion;
