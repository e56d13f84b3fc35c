import type { Circuits } from './circuits.js';
import type { DriverPorts } from './driver-ports.js';
import type { Result } from './job.js';
import { isCurrentAttempt } from './scheduler/classes.js';
import { READY_WITHIN_MS } from './scheduler/limits.js';
import type { Effect, Input, Moment } from './scheduler/messages.js';
import { LIMIT_MAX } from './scheduler/pace.js';
import { isReady } from './scheduler/reading.js';
import { type Attempt, type BatchName, newState, type State } from './scheduler/state.js';
import { nextTickMs, step } from './scheduler/step.js';

const STOP_LOOK_MS = 10;

/** Performs the effects of the scheduler, and hands it their outcome and the time. */
export class Driver {
  readonly state: State = newState();
  readonly #ports: DriverPorts;
  readonly #circuits: Circuits;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  /** Callers of `ready` that wait for room. */
  #waiting: (() => void)[] = [];

  constructor(ports: DriverPorts) {
    this.#ports = ports;
    this.#circuits = ports.circuits((webhookId, change) =>
      this.handle({ kind: 'circuitChanged', webhookId, change }),
    );
  }

  moment(): Moment {
    return { nowMs: this.#ports.monotonicMs(), epochOf: this.#ports.epochOf };
  }

  handle(input: Input): void {
    const { effects } = step(this.state, input, this.moment());
    for (const effect of effects) this.#perform(effect);
    this.#arm();
    if (this.#waiting.length === 0 || !isReady(this.state)) return;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /**
   * Resolves when more may be taken in; within half a second in any case, so that one stuck webhook does not hold up
   * all.
   */
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

  #perform(effect: Effect): void {
    const { notifyOthers, wakeReader, settle, onCircuitChange } = this.#ports;
    switch (effect.kind) {
      case 'send':
        return void this.#send(effect.attempt);
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
        return settle(effect.webhookId, effect.as);
      case 'keepCircuit':
        return onCircuitChange(effect.webhookId, effect.change, effect.lastSent);
      case 'dropCircuit':
        return this.#circuits.drop(effect.webhookId);
      case 'restoreCircuit':
        return this.#restore(effect);
    }
  }

  async #send(attempt: Attempt): Promise<void> {
    const { job, target, epoch } = attempt;
    const { send, judge, onError } = this.#ports;
    const isCurrent = () => isCurrentAttempt(attempt);
    try {
      const record = await this.#circuits.run(
        job.webhookId,
        async () => send(job, target),
        isCurrent,
      );
      const result = judge({ job, target, epoch, record, isOutdated: !isCurrent() });
      const isSuspected = !this.#circuits.permits(job.webhookId, LIMIT_MAX);
      this.handle({ kind: 'attemptEnded', attempt, result, isSuspected });
    } catch (error) {
      onError(error);
      this.handle({ kind: 'attemptBroke', attempt });
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
