import { setTimeout as sleep } from 'node:timers/promises';
import { restartDelayMs } from './restart-policy.js';

/** A started child. */
export interface Running {
  /** Absent when a container engine runs it. */
  readonly pid: number | undefined;
  /** Settles when it has ended, whoever ended it, with words for the reader. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

export interface Child {
  readonly name: string;
  /** Whether other children depend on this one, which is therefore stopped after them. */
  readonly foundation?: boolean;
  /** Resolves once the child serves. Called again after each death. */
  start(): Promise<Running>;
}

export interface SupervisorOptions {
  /** Says that all of it is to end: no child is started again from then on. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Called after each start, so that written pids stay true. */
  readonly onChange: () => void;
  /** Called once, when a child dies too often. */
  readonly onGiveUp: () => void;
  /** How long to wait before a child is started again. Unless given: `restartDelayMs`. */
  readonly delayMs?: typeof restartDelayMs;
}

/** Keeps children running until it is stopped. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<Child, Running>();
  readonly #stop = new AbortController();
  /** Aborts when all of it is to end. Whoever makes a child calls its start off then. */
  readonly stopping: AbortSignal;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.stopping = AbortSignal.any([options.signal, this.#stop.signal]);
  }

  /** Starts the child and keeps it running. Rejects when its first start fails. */
  async supervise(child: Child): Promise<void> {
    const { exited } = await this.#begin(child);
    void this.#keep(child, exited);
  }

  pids(): Readonly<Record<string, number>> {
    const known = [...this.#running].flatMap(([{ name }, { pid }]) =>
      pid === undefined ? [] : [[name, pid] as const],
    );
    return Object.fromEntries(known);
  }

  /** Starts nothing again, and calls off the starts that are under way. */
  callOff(): void {
    this.#stop.abort();
  }

  /** Ends the children: first what serves, then what it stands on. */
  async stop(): Promise<void> {
    this.callOff();
    const children = [...this.#running];
    const serving = children.filter(([{ foundation }]) => foundation !== true);
    for (const group of [serving, children]) {
      await Promise.all(group.map(([, running]) => running.stop()));
    }
  }

  async #begin(child: Child): Promise<Running> {
    const running = await child.start();
    this.#running.set(child, running);
    this.#options.onChange();
    if (this.stopping.aborted) await running.stop();
    return running;
  }

  async #keep(child: Child, firstExit: Promise<string>): Promise<void> {
    const { say, onGiveUp, delayMs: delayAfter = restartDelayMs } = this.#options;
    const deaths: number[] = [];
    for (let exited = firstExit; ; exited = this.#again(child)) {
      const reason = await exited;
      this.#running.delete(child);
      if (this.stopping.aborted) return;

      deaths.push(Date.now());
      const delayMs = delayAfter(deaths);
      if (delayMs === undefined) {
        say(`${child.name} ended (${reason}), the fifth time within a minute: giving up.`);
        this.callOff(); // a start may wait for this child
        return onGiveUp();
      }
      say(`${child.name} ended (${reason}); starting it again in ${delayMs / 1_000} s.`);
      await this.#pause(delayMs);
      if (this.stopping.aborted) return;
    }
  }

  /** Starts it again. A start that fails is one more death. */
  async #again(child: Child): Promise<string> {
    try {
      const { exited } = await this.#begin(child);
      this.#options.say(`${child.name} is back.`);
      return await exited;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #pause(delayMs: number): Promise<void> {
    await sleep(delayMs, undefined, { signal: this.stopping }).catch(() => undefined);
  }
}
