import { type AttemptRecord, type BatchName, isFailing, type Job, type Result } from '../job.js';
import type { Circuits, Dispatch, DriverPorts, OnEnded, Probe } from './ports.js';
import { isCurrentAttempt } from './scheduler/classes.js';
import { READY_WITHIN_MS } from './scheduler/limits.js';
import type { Effect, Input, Moment } from './scheduler/messages.js';
import { LIMIT_MAX } from './scheduler/pace.js';
import type { Decided } from './scheduler/queue.js';
import { isReady } from './scheduler/reading.js';
import { type Attempt, newState, type State } from './scheduler/state.js';
import { nextTickMs, offerAhead, offerRead, step } from './scheduler/step.js';

const STOP_LOOK_MS = 10;

/** Performs the effects of the scheduler, and hands it their outcome and the time. */
export class Driver
  implements Pick<Dispatch, 'ready' | 'accept' | 'offerAhead' | 'stored' | 'released'>
{
  readonly state: State;
  readonly #ports: DriverPorts;
  readonly #circuits: Circuits;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  /** Inputs that came while effects were performed. */
  readonly #inputs: Input[] = [];
  /** Ends of attempts in this turn of the event loop. */
  #ended: (readonly [Attempt, AttemptRecord | undefined])[] = [];
  /** Whether a step follows at the end of this turn. */
  #isStepPlanned = false;
  #isPerforming = false;
  /** Callers of `ready` that wait for room. */
  #waiting: (() => void)[] = [];

  constructor(ports: DriverPorts) {
    this.#ports = ports;
    this.state = newState(ports.sockets);
    this.#circuits = ports.circuits((webhookId, change) =>
      this.handle({ kind: 'circuitChanged', webhookId, change }),
    );
  }

  moment(): Moment {
    return { nowMs: this.#ports.monotonicMs(), epochOf: this.#ports.epochOf };
  }

  /** Handles an input; after the effects that are being performed, if one of them has brought it about. */
  handle(input: Input): void {
    if (this.#isPerforming) this.#inputs.push(input);
    else this.#perform(step(this.state, [input], this.moment()));
  }

  accept(jobs: readonly Job[]): void {
    this.handle({ kind: 'accepted', jobs });
  }

  offerAhead(job: Job, decided: Decided): boolean {
    const { isTaken, effects } = offerAhead(this.state, { job, decided }, this.moment());
    if (effects.length > 0) this.#perform(effects);
    this.#planStep();
    return isTaken;
  }

  stored(jobs: readonly Job[], results: readonly Result[]): void {
    this.handle({ kind: 'stored', jobs, results });
  }

  released(jobs: readonly Job[]): void {
    this.handle({ kind: 'released', jobs });
  }

  /** Ends a read, and offers the jobs that it found. Returns how many of them no queue took. */
  offerRead(jobs: readonly Job[]): number {
    const { turnedAway, effects } = offerRead(this.state, jobs, this.moment());
    this.#perform(effects);
    return turnedAway;
  }

  async ready(): Promise<void> {
    if (isReady(this.state)) return;
    await new Promise<void>((resolve) => {
      const overdue = setTimeout(resolve, READY_WITHIN_MS);
      this.#waiting.push(() => {
        clearTimeout(overdue);
        resolve();
      });
    });
  }

  /** Sends nothing more; resolves when nothing is under way, or the time is over. */
  async stop(deadlineMs: number): Promise<void> {
    this.handle({ kind: 'stopped' });
    const { monotonicMs } = this.#ports;
    const { responsive, unresponsive } = this.state.classes;
    const endMs = monotonicMs() + deadlineMs;
    while (responsive.taken + unresponsive.taken > 0 && monotonicMs() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, STOP_LOOK_MS));
    }
    this.#circuits.stop();
  }

  #arm(): void {
    const atMs = nextTickMs(this.state);
    if (atMs >= this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    const waitMs = Math.max(0, Math.ceil(atMs - this.#ports.monotonicMs()));
    this.#timer = setTimeout(() => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      this.handle({ kind: 'ticked' });
    }, waitMs);
  }

  /** Performs effects, then handles the inputs that came meanwhile, each with its effects. */
  #perform(effects: readonly Effect[]): void {
    this.#isPerforming = true;
    try {
      for (const effect of effects) this.#performOne(effect);
      for (let input = this.#inputs.shift(); input; input = this.#inputs.shift()) {
        for (const effect of step(this.state, [input], this.moment())) this.#performOne(effect);
      }
    } finally {
      this.#isPerforming = false;
    }
    this.#arm();
    if (this.#waiting.length === 0 || !isReady(this.state)) return;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  #performOne(effect: Effect): void {
    const { notifyOthers, wakeReader, endPending, onCircuitChange } = this.#ports;
    switch (effect.kind) {
      case 'send':
        return this.#send(effect.attempt);
      case 'write':
        return void this.#write(effect.batch, effect.results);
      case 'load':
        return void this.#load(effect.webhookIds);
      case 'read':
        return wakeReader();
      case 'notify':
        return notifyOthers();
      case 'decide':
        return effect.decided(effect.result);
      case 'endPending':
        return endPending(effect.webhookId, effect.as);
      case 'keepCircuit':
        return onCircuitChange(effect.webhookId, effect.change, effect.lastSent);
      case 'dropCircuit':
        return this.#circuits.drop(effect.webhookId);
      case 'restoreCircuit':
        return this.#restore(effect);
    }
  }

  /** Makes no promise: between the scheduler and the socket, promises would cost more than the answer. */
  #send(attempt: Attempt): void {
    const { job, target } = attempt;
    let probe: Probe | undefined;
    const ended: OnEnded = (record, error) => this.#end(attempt, probe, record, error);
    try {
      probe = this.#circuits.probe(job.webhookId);
      this.#ports.send(job, target, ended);
    } catch (error) {
      ended(undefined, error);
    }
  }

  /**
   * Counts the attempt for its circuit at once, since a breaker changes a few microtasks later, and keeps the end for
   * the step.
   */
  #end(attempt: Attempt, probe: Probe | undefined, record?: AttemptRecord, error?: unknown): void {
    let counted = record;
    try {
      const isBad = record === undefined || isFailing(record);
      if (probe) probe(isBad);
      else if (record && isCurrentAttempt(attempt)) {
        // An answer that an older version of the webhook got says nothing of this one.
        this.#circuits.count(attempt.job.webhookId, isBad);
      }
      if (record === undefined) this.#ports.onError(error);
    } catch (broken) {
      this.#ports.onError(broken);
      counted = undefined;
    }
    this.#ended.push([attempt, counted]);
    this.#planStep();
  }

  /** Has all jobs offered ahead, and all ends of attempts, of a turn of the event loop handled in one step. */
  #planStep(): void {
    if (this.#isStepPlanned) return;
    this.#isStepPlanned = true;
    setImmediate(() => {
      this.#isStepPlanned = false;
      const ended = this.#ended;
      this.#ended = [];
      const inputs = ended.map(([attempt, record]) => this.#endOf(attempt, record));
      this.#perform(step(this.state, inputs, this.moment()));
    });
  }

  #endOf(attempt: Attempt, record: AttemptRecord | undefined): Input {
    if (record === undefined) return { kind: 'attemptBroke', attempt };
    const { job, target, epoch } = attempt;
    try {
      const isOutdated = !isCurrentAttempt(attempt);
      const result = this.#ports.judge({ job, target, epoch, record, isOutdated });
      const isSuspected = !this.#circuits.permits(job.webhookId, LIMIT_MAX);
      return { kind: 'attemptEnded', attempt, result, isSuspected };
    } catch (error) {
      this.#ports.onError(error);
      return { kind: 'attemptBroke', attempt };
    }
  }

  async #write(batch: BatchName, results: readonly Result[]): Promise<void> {
    const { write, monotonicMs, onError } = this.#ports;
    const startedMs = monotonicMs();
    try {
      await write[batch](results);
    } catch (error) {
      onError(error);
      return this.handle({ kind: 'writeFailed', batch });
    }
    this.handle({ kind: 'written', batch, results, tookMs: monotonicMs() - startedMs });
  }

  async #load(webhookIds: readonly string[]): Promise<void> {
    const { loadTargets, onError } = this.#ports;
    try {
      this.handle({ kind: 'targetsLoaded', webhookIds, targets: await loadTargets(webhookIds) });
    } catch (error) {
      onError(error);
      this.handle({ kind: 'loadFailed', webhookIds });
    }
  }

  #restore({ webhookId, rest, otherwise }: Extract<Effect, { kind: 'restoreCircuit' }>): void {
    this.#circuits.restore(webhookId, rest);
    const circuit = this.#circuits.isOpen(webhookId) ? 'open' : otherwise;
    this.handle({ kind: 'circuitRestored', webhookId, circuit });
  }
}
