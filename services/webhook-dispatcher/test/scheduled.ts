import type { AttemptRecord, Job, Result, Target } from '../src/application/job.js';
import { judgeWith } from '../src/application/sending/judge.js';
import { isCurrentAttempt } from '../src/application/sending/scheduler/classes.js';
import type { Effect, Input, Moment } from '../src/application/sending/scheduler/messages.js';
import type { Circuit, Decided } from '../src/application/sending/scheduler/queue.js';
import { type Attempt, newState } from '../src/application/sending/scheduler/state.js';
import {
  nextTickMs,
  offerAhead,
  offerRead,
  step,
} from '../src/application/sending/scheduler/step.js';

const judge = judgeWith(
  { delaysMs: [5_000] },
  () => new Date(0),
  () => 0,
);

/** The scheduler alone: inputs go in, effects come out, and time passes when the test says so. */
export class Scheduled {
  readonly state = newState();
  readonly targets = new Map<string, Target>();
  /** In the order of their requests. */
  readonly sent: string[] = [];
  /** Requests without an answer, by delivery. */
  readonly underWay = new Map<string, Attempt>();
  nowMs = 0;
  /** Undefined: the shard is another's. */
  epoch: string | undefined = '1';
  /** Webhooks are loaded when that is asked for. */
  loads = true;
  /** Results are written when that is asked for. */
  writes = false;

  /** Gives the effects, with those of the loads that followed. */
  do(input: Input): readonly Effect[] {
    return this.#perform(step(this.state, [input], this.#moment()));
  }

  accept(...jobs: readonly Job[]): readonly Effect[] {
    return this.do({ kind: 'accepted', jobs });
  }

  /** A read of the table that brings these. Gives how many were turned away. */
  read(...jobs: readonly Job[]): number {
    this.do({ kind: 'readStarted' });
    return this.endRead(...jobs);
  }

  /** The read that is on brings these. Gives how many were turned away. */
  endRead(...jobs: readonly Job[]): number {
    const { turnedAway, effects } = offerRead(this.state, jobs, this.#moment());
    this.#perform(effects);
    return turnedAway;
  }

  /** A job whose row is not written. Gives whether it is taken. */
  offerAhead(job: Job, decided: Decided): boolean {
    const { isTaken, effects } = offerAhead(this.state, { job, decided }, this.#moment());
    this.#perform([...effects, ...step(this.state, [], this.#moment())]);
    return isTaken;
  }

  /** The request of the delivery is answered. */
  answer(deliveryId: string, as: Partial<AttemptRecord> = {}, isSuspected = false) {
    const attempt = this.#end(deliveryId);
    const { job, target, epoch } = attempt;
    const isOutdated = !isCurrentAttempt(attempt);
    const result = judge({ job, target, epoch, record: { ...ACCEPTED, ...as }, isOutdated });
    return this.do({ kind: 'attemptEnded', attempt, result, isSuspected });
  }

  /** The request of the delivery ends by a mistake of ours. */
  break(deliveryId: string): readonly Effect[] {
    return this.do({ kind: 'attemptBroke', attempt: this.#end(deliveryId) });
  }

  /** Everything is answered well, and what is sent then, too. */
  answerAll(): void {
    for (const [deliveryId] of this.underWay) this.answer(deliveryId);
  }

  /** Everything is answered and written. */
  finishAll(): void {
    this.writes = true;
    while (this.underWay.size > 0) this.answerAll();
    this.pass(100);
    this.writes = false;
  }

  /** A load brings the webhook as it is at first. */
  load(webhookId: string): void {
    const targets = new Map([[webhookId, target(webhookId)]]);
    this.do({ kind: 'targetsLoaded', webhookIds: [webhookId], targets });
  }

  written(results: readonly Result[]): readonly Effect[] {
    return this.do({ kind: 'written', batch: 'attempts', results, tookMs: 1 });
  }

  /** Time passes, with every tick that the scheduler asked for. */
  pass(ms: number): readonly Effect[] {
    const endMs = this.nowMs + ms;
    const effects: Effect[] = [];
    for (let at = nextTickMs(this.state); at <= endMs; at = nextTickMs(this.state)) {
      this.nowMs = Math.max(this.nowMs, at);
      effects.push(...this.do({ kind: 'ticked' }));
    }
    this.nowMs = endMs;
    return effects;
  }

  becomes(webhookId: string, as: Partial<Target>): readonly Effect[] {
    this.targets.set(webhookId, target(webhookId, as));
    return this.do({ kind: 'webhookChanged', webhookId });
  }

  phase(webhookId: string): string | undefined {
    return this.state.queues.get(webhookId)?.phase.kind;
  }

  circuit(webhookId: string): Circuit | undefined {
    return this.state.queues.get(webhookId)?.circuit;
  }

  #end(deliveryId: string): Attempt {
    const attempt = this.underWay.get(deliveryId);
    if (attempt === undefined) throw new Error(`${deliveryId} is not under way.`);
    this.underWay.delete(deliveryId);
    return attempt;
  }

  #moment(): Moment {
    return { nowMs: this.nowMs, epochOf: () => this.epoch };
  }

  #perform(effects: readonly Effect[]): readonly Effect[] {
    return effects.flatMap((effect) => [effect, ...this.#follow(effect)]);
  }

  #follow(effect: Effect): readonly Effect[] {
    if (effect.kind === 'send') {
      const { deliveryId } = effect.attempt.job;
      this.sent.push(deliveryId);
      this.underWay.set(deliveryId, effect.attempt);
    }
    if (effect.kind === 'decide') effect.decided(effect.result);
    if (effect.kind === 'restoreCircuit') {
      const { webhookId } = effect;
      return this.do({ kind: 'circuitRestored', webhookId, circuit: 'open' });
    }
    if (effect.kind === 'write' && this.writes) {
      return this.do({ ...effect, kind: 'written', tookMs: 1 });
    }
    if (effect.kind !== 'load' || !this.loads) return [];
    const { webhookIds } = effect;
    const targets = new Map(
      webhookIds.map((id) => [id, this.targets.get(id) ?? target(id)] as const),
    );
    return this.do({ kind: 'targetsLoaded', webhookIds, targets });
  }
}

export const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);

/** Gives the results that are to be written. */
export const resultsOf = (...effects: readonly (readonly Effect[])[]): readonly Result[] =>
  effects.flat().flatMap((effect) => (effect.kind === 'write' ? effect.results : []));

/** The circuit of the webhook `a` opens. */
export const OPENING = {
  kind: 'circuitChanged',
  webhookId: 'a',
  change: { to: 'open', probeAt: new Date(0), restMs: 1_000 },
} as const;

export const ACCEPTED: AttemptRecord = {
  startedAt: new Date(0),
  outcome: { kind: 'succeeded' },
  result: 'succeeded',
  httpStatus: 200,
  headersMs: 1,
  totalMs: 1,
  connection: { dnsMs: null, connectMs: null, tlsMs: null },
  headers: Buffer.alloc(0),
  sample: Buffer.alloc(0),
};

export const TIMED_OUT: Partial<AttemptRecord> = {
  outcome: { kind: 'failed', reason: 'timeout', retryAfterMs: 0 },
  result: 'timeout',
  httpStatus: null,
  totalMs: 15_000,
};

export const GONE: Partial<AttemptRecord> = {
  outcome: { kind: 'gone' },
  result: 'http_410',
  httpStatus: 410,
};

export const many = (webhookId: string, count: number): readonly Job[] =>
  Array.from({ length: count }, (_, n) => job(webhookId, n + 1));

export const job = (webhookId: string, n: number, as: Partial<Job> = {}): Job => ({
  deliveryId: `${webhookId}${n}`,
  day: '2030-01-01',
  messageId: `m${n}`,
  webhookId,
  webhookVersion: 1,
  userId: webhookId,
  kind: 'draft.created',
  shard: 0,
  attempt: 1,
  unscheduled: 0,
  body: Buffer.from('{}'),
  ...as,
});

export const target = (webhookId: string, as: Partial<Target> = {}): Target => ({
  webhookId,
  userId: 'u',
  version: 1,
  url: `https://${webhookId.toLowerCase().replaceAll('.', '')}.example`,
  status: 'active',
  secrets: [],
  ...as,
});
