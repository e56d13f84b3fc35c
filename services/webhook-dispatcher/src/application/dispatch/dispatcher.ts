import type { CircuitChange, Circuits, OnCircuitChange } from './circuits.js';
import { isFailing } from './failing.js';
import type { AttemptRecord, Job, Result, Target } from './job.js';
import { JobLedger } from './job-ledger.js';
import type { Ended } from './judge.js';
import type { OrderedWork } from './ordered-work.js';
import { FAILING_PACE, NEW_PACE, type Pace, paced, placeOf } from './pace.js';
import { LOW_WATERMARK, Queues, type Source } from './queues.js';
import { TargetLoader } from './target-loader.js';
import { TokenBucket } from './token-bucket.js';
import { UnderWay, type UnderWayAttempt } from './under-way.js';
import { jobsMaxOf, type WebhookQueue, WebhookQueues } from './webhook-queues.js';

export interface DispatcherPorts {
  /** Undefined: this replica must not send for the shard now. */
  readonly epochOf: (shard: number) => string | undefined;
  /** Never rejects: every way an attempt can end is a record. */
  readonly send: (job: Job, target: Target) => Promise<AttemptRecord>;
  readonly judge: (ended: Ended) => Result;
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
  readonly notifyOthers: () => void;
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
  readonly #ports: DispatcherPorts;
  readonly #webhookQueues: WebhookQueues;
  readonly #ledger = new JobLedger();
  readonly #queues = new Queues(this.#ledger);
  readonly #circuits: Circuits;
  readonly #targets: TargetLoader;
  readonly #underWay: UnderWay;
  /** Who waits for room. */
  #waiting: (() => void)[] = [];
  #reads = 1;
  #stopped = false;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
    this.#underWay = new UnderWay({
      monotonicMs: ports.monotonicMs,
      onSlow: (queues) => {
        for (const queue of queues) this.#setPace(queue, { ...queue.pace, kind: 'slow' });
        this.#pump();
        this.#resumeIfReady();
      },
      onTick: () => this.#pump(),
    });
    this.#circuits = ports.circuits((webhookId, change) => this.#circuitChanged(webhookId, change));
    // An open circuit is stored and taken up again with the queue; nobody else would let go of it.
    this.#webhookQueues = new WebhookQueues((webhookId) => this.#circuits.drop(webhookId));
    this.#targets = new TargetLoader({
      load: ports.loadTargets,
      loaded: (...loaded) => this.#retarget(...loaded),
      onError: ports.onError,
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
    const throttled = this.#underWay.isThrottling ? this.#queues.count('new') : 0;
    const stuck = this.#queues.count('slow') + throttled + this.#underWay.others;
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
      if (job.messageId !== messageId) isAdmitted = this.#ports.admits(job.userId);
      messageId = job.messageId;
      if (this.#ports.epochOf(job.shard) === undefined) isForOthers = true;
      else if (isAdmitted) this.#offer(job, 'fresh');
      else this.#leave(job);
    }
    if (isForOthers) this.#ports.notifyOthers();
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
    const nowMs = this.#ports.monotonicMs();
    return [...this.#webhookQueues]
      .filter((queue) => this.#isOrderedAndIdle(queue) && queue.headDueAtMs <= nowMs)
      .filter((queue) => this.#ports.epochOf(queue.shard) !== undefined)
      .map((queue) => queue.webhookId);
  }

  /** What was read since of these webhooks: the oldest of each, in their order, as far as it is due. */
  acceptOrdered(asked: readonly string[], work: OrderedWork): void {
    for (const webhookId of asked) {
      const queue = this.#webhookQueues.get(webhookId);
      if (queue === undefined || !this.#isOrderedAndIdle(queue)) continue;
      const head = work.get(webhookId);
      if (head === undefined && queue.overflowedIn < this.#reads) queue.overflowedIn = 0;
      queue.headDueAtMs = this.#ports.monotonicMs() + (head?.waitMs ?? 0);
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
    for (const queue of this.#webhookQueues) {
      if (queue.overflowedIn < this.#reads && !except.has(queue.webhookId)) queue.overflowedIn = 0;
    }
  }

  /** The read found all that was due of these webhooks. */
  readAllOf(webhookIds: readonly string[]): void {
    for (const webhookId of webhookIds) {
      const queue = this.#webhookQueues.get(webhookId);
      if (queue !== undefined && queue.overflowedIn < this.#reads) queue.overflowedIn = 0;
    }
  }

  /** Webhooks whose jobs would only be turned away. */
  blocked(): readonly string[] {
    return [...this.#webhookQueues]
      .filter((queue) => this.#isBlocked(queue))
      .map((queue) => queue.webhookId);
  }

  /** Webhooks for which there is room of their own, however little is left for those that are not quick. */
  quick(): readonly string[] {
    return [...this.#webhookQueues]
      .filter((queue) => queue.pace.kind === 'responsive' && !this.#isBlocked(queue))
      .map((queue) => queue.webhookId);
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
    const queue = this.#webhookQueues.get(webhookId);
    if (queue === undefined) return;
    queue.stale = true;
    this.#queues.rest(queue);
    this.#targets.want(webhookId);
  }

  /** All webhooks that are looked after here, with the version they are known in. */
  known(): ReadonlyMap<string, number> {
    return new Map(
      [...this.#webhookQueues].map((queue) => [queue.webhookId, queue.target?.version ?? 0]),
    );
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
    for (const queue of this.#webhookQueues) {
      if (queue.shard !== shard) continue;
      this.#queues.empty(queue);
      if (queue.underWay === 0 && queue.unwritten === 0) this.#webhookQueues.delete(queue);
      else {
        this.#forgetWhatWas(queue);
        this.#leaveToOrderedRead(queue);
      }
    }
  }

  written(results: readonly Result[]): void {
    for (const { job } of results) this.#finish(job);
    if (results.some(isSoonAgain)) this.#ports.wakeReader();
    this.#pump();
    this.#resumeIfReady();
  }

  /** Sends nothing more; resolves when nothing is under way, or the time is over. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true;
    const endMs = this.#ports.monotonicMs() + deadlineMs;
    while (this.#underWay.count > 0 && this.#ports.monotonicMs() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const queue of this.#webhookQueues) clearTimeout(queue.refill);
    this.#underWay.stop();
    this.#circuits.stop();
  }

  /** Says whether it was taken. */
  #offer(job: Job, source: Source): boolean {
    const epoch = this.#ports.epochOf(job.shard);
    if (this.#ledger.knows(job) || epoch === undefined) return false;
    const queue = this.#webhookQueues.open(job);
    if (queue === undefined) return false;
    if (queue.epoch !== undefined && queue.epoch !== epoch) this.#forgetWhatWas(queue);
    queue.epoch = epoch;

    if (queue.target?.ordered === true && source !== 'ordered') {
      queue.wantedVersion = Math.max(queue.wantedVersion, job.webhookVersion);
      if (!isLoaded(queue)) this.#targets.need(queue.webhookId);
      this.#leaveToOrderedRead(queue);
      return false;
    }
    const mustQueueBehind = source === 'fresh' && queue.overflowedIn > 0;
    if (mustQueueBehind || !this.#queues.hasRoomFor(queue, job, source)) {
      queue.overflowedIn = this.#reads;
      return false;
    }
    queue.wantedVersion = Math.max(queue.wantedVersion, job.webhookVersion);
    if (isLoaded(queue) && queue.target?.status === 'disabled') {
      this.#targets.need(queue.webhookId);
      return false;
    }
    if (isLoaded(queue) && this.#rests(queue)) {
      queue.overflowedIn = this.#reads;
      return false;
    }

    this.#queues.push(queue, job);
    if (isLoaded(queue)) this.#consider(queue);
    else this.#targets.need(queue.webhookId);
    return true;
  }

  /** Another replica may have looked after it meanwhile, and has learned more of it. */
  #forgetWhatWas({ webhookId }: WebhookQueue): void {
    this.#circuits.drop(webhookId);
    this.webhookChanged(webhookId);
  }

  /** Leaves it to a read of the table; what comes later must not overtake it. */
  #leave(job: Job): void {
    const queue = this.#webhookQueues.open(job);
    if (queue === undefined || this.#ledger.knows(job)) return;
    queue.overflowedIn = this.#reads;
    this.#ports.wakeReader();
  }

  #pump(): void {
    while (!this.#stopped && this.#ports.hasRoom()) {
      const queue = this.#queues.next(this.#underWay);
      if (queue === undefined) return;
      if (this.#maySend(queue)) this.#sendNext(queue);
    }
  }

  #sendNext(queue: WebhookQueue): void {
    if (queue.target === undefined) return;
    const job = this.#queues.shift(queue);
    if (job === undefined) return;

    const epoch = this.#ports.epochOf(job.shard);
    if (epoch === undefined) {
      this.#ledger.forget(job);
      this.dropShard(job.shard);
    } else {
      queue.unwritten++;
      queue.lastSent = { kind: job.kind, version: queue.target.version };
      queue.bucket?.take(this.#ports.monotonicMs());
      this.#ledger.start(job);
      void this.#attempt(this.#underWay.begin(queue), job, queue.target, epoch);
    }
    const isHalfEmpty =
      queue.overflowedIn > 0 && queue.jobs.length === Math.floor(jobsMaxOf(queue) / 2);
    const makesRoom =
      queue.pace.kind !== 'responsive' && this.#queues.roomForOthers === LOW_WATERMARK;
    if (isHalfEmpty || makesRoom) this.#ports.wakeReader();
    this.#consider(queue);
  }

  async #attempt(attempt: UnderWayAttempt, job: Job, target: Target, epoch: string): Promise<void> {
    const { queue } = attempt;
    const isCurrent = () => !queue.stale && queue.target?.version === target.version;
    try {
      const send = async () => this.#ports.send(job, target);
      const record = await this.#circuits.run(job.webhookId, send, isCurrent);
      const isOutdated = !isCurrent();
      this.#learn(queue, record, isOutdated);
      const result = this.#ports.judge({ job, target, epoch, record, isOutdated });
      // What comes behind it has to wait for it in the table, where it waits itself.
      if (result.fact.type === 'delivery.attempt_failed') this.#holdRest(queue);
      this.#ports.push(result);
    } catch (error) {
      // A mistake of ours, not the receiver's: the row stays as it is and is read again.
      this.#ports.onError(error);
      this.#holdRest(queue);
      this.#finish(job);
    } finally {
      this.#underWay.end(attempt);
      this.#consider(queue);
      this.#pump();
    }
  }

  #finish(job: Job): void {
    this.#ledger.finish(job);
    const queue = this.#webhookQueues.get(job.webhookId);
    if (queue === undefined) return;
    queue.unwritten = Math.max(0, queue.unwritten - 1);
    if (queue.target?.ordered !== true) return;
    this.#consider(queue);
    if (this.#isOrderedAndIdle(queue)) this.#ports.wakeReader();
  }

  #learn(queue: WebhookQueue, record: AttemptRecord, isOutdated: boolean): void {
    const { totalMs } = record;
    queue.usedMs += Math.max(USED_MIN_MS, totalMs);
    if (isOutdated) return;
    const { underWay } = queue;
    this.#setPace(queue, paced(queue.pace, { isWell: !isFailing(record), totalMs, underWay }));
  }

  #setPace(queue: WebhookQueue, pace: Pace): void {
    const before = queue.pace;
    if (placeOf(before) === placeOf(pace)) {
      queue.pace = pace;
      return;
    }
    this.#queues.setPace(queue, pace);
    if (this.#queues.cut(queue, jobsMaxOf(queue))) queue.overflowedIn = this.#reads;
    this.#consider(queue);
  }

  #consider(queue: WebhookQueue): void {
    if (!this.#maySend(queue)) return;
    const waitMs = queue.bucket?.waitMs(this.#ports.monotonicMs()) ?? 0;
    if (waitMs > 0) this.#considerIn(queue, waitMs);
    else this.#queues.add(queue);
  }

  #considerIn(queue: WebhookQueue, waitMs: number): void {
    queue.refill ??= setTimeout(() => {
      queue.refill = undefined;
      this.#consider(queue);
      this.#pump();
    }, Math.ceil(waitMs));
  }

  #maySend(queue: WebhookQueue): boolean {
    return (
      queue.jobs.length > 0 &&
      isLoaded(queue) &&
      queue.target?.status === 'active' &&
      queue.underWay < Math.floor(queue.pace.limit) &&
      (queue.target.ordered !== true || queue.unwritten === 0) &&
      this.#circuits.permits(queue.webhookId, queue.underWay)
    );
  }

  #isBlocked(queue: WebhookQueue): boolean {
    // One that has nothing in the table, as far as is known, may be surprised by what another replica
    // filed there; what is known to wait is read in its order.
    const isReadInOrder = queue.target?.ordered === true && queue.overflowedIn > 0;
    return queue.jobs.length >= jobsMaxOf(queue) || this.#rests(queue) || isReadInOrder;
  }

  #rests(queue: WebhookQueue): boolean {
    return queue.target?.status === 'paused' || this.#circuits.isOpen(queue.webhookId);
  }

  #isOrderedAndIdle(queue: WebhookQueue): boolean {
    const isIdle = queue.jobs.length === 0 && queue.unwritten === 0;
    return (
      isIdle &&
      queue.overflowedIn > 0 &&
      isLoaded(queue) &&
      queue.target?.ordered === true &&
      queue.target.status === 'active' &&
      this.#circuits.permits(queue.webhookId, 0)
    );
  }

  #holdRest(queue: WebhookQueue): void {
    if (queue.target?.ordered !== true) return;
    this.#queues.empty(queue);
    this.#leaveToOrderedRead(queue);
  }

  #leaveToOrderedRead(queue: WebhookQueue): void {
    queue.overflowedIn = this.#reads;
    queue.headDueAtMs = 0;
    if (this.#isOrderedAndIdle(queue)) this.#ports.wakeReader();
  }

  #limit(queue: WebhookQueue, perS: number | undefined): void {
    if (queue.bucket?.perS === perS) return;
    clearTimeout(queue.refill);
    queue.refill = undefined;
    queue.bucket =
      perS === undefined ? undefined : new TokenBucket(perS, this.#ports.monotonicMs());
  }

  #retarget(webhookId: string, target: Target | undefined, isLast: boolean): void {
    const queue = this.#webhookQueues.get(webhookId);
    if (queue === undefined) return;
    const before = queue.target;
    queue.target = target;
    if (isLast) queue.stale = false;
    // The load began before the change that a job has seen: that change is there now.
    if (target && target.version < queue.wantedVersion) this.#targets.want(webhookId);

    if (before !== undefined && before.version !== target?.version) this.#startAnew(queue);
    if (target?.isFailing === true && queue.pace.kind === 'new') {
      this.#setPace(queue, FAILING_PACE);
    }
    if (target?.rest) this.#circuits.restore(webhookId, target.rest);
    if (target === undefined || target.status === 'disabled') {
      this.#queues.empty(queue);
      this.#ports.settle(webhookId, target === undefined ? 'cancelled' : 'held');
      if (target === undefined) this.#webhookQueues.delete(queue);
    }
    this.#limit(queue, target?.rateLimit);
    if (target?.ordered === true && before?.ordered !== true) this.#holdRest(queue);
    if (this.#rests(queue)) this.#overflow(queue);
    const wasLoaded = before !== undefined;
    if (wasLoaded && before.status !== 'active' && target?.status === 'active') {
      this.#ports.wakeReader();
    }
    this.#consider(queue);
    this.#pump();
  }

  /**
   * An answer belongs to the version of the webhook that was asked: what was learned of the one before is dropped, and
   * what is still asked of it takes no place from this one.
   */
  #startAnew(queue: WebhookQueue): void {
    this.#circuits.drop(queue.webhookId);
    this.#underWay.detach(queue);
    this.#setPace(queue, NEW_PACE);
  }

  /** Empties the queue of a paused webhook, or one with an open circuit: its jobs would take room, and are rows too. */
  #overflow(queue: WebhookQueue): void {
    if (this.#queues.empty(queue)) queue.overflowedIn = this.#reads;
  }

  #circuitChanged(webhookId: string, change: CircuitChange): void {
    const queue = this.#webhookQueues.get(webhookId);
    if (queue === undefined) return;
    // What is learned after the shard has gone would be written over what its next owner learns.
    if (queue.epoch === this.#ports.epochOf(queue.shard)) {
      this.#ports.onCircuitChange(webhookId, change, queue.lastSent);
    }
    if (change.to === 'open') {
      this.#overflow(queue);
      return;
    }
    if (queue.jobs.length < jobsMaxOf(queue) / 2) this.#ports.wakeReader();
    this.#consider(queue);
    this.#pump();
  }
}

/** Before the reader would look again by itself. */
const isSoonAgain = ({ fact }: Result): boolean =>
  fact.type === 'delivery.attempt_failed' && fact.data.delayMs <= SOON_MS;

const isLoaded = (queue: WebhookQueue): boolean =>
  queue.target !== undefined && !queue.stale && queue.target.version >= queue.wantedVersion;
