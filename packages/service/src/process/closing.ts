import type { Logger } from './logging/logger.js';

export interface ClosingOptions<T> {
  /** Called at the first moment of a stop, while everything still works. */
  readonly announce?: (resource: T) => void;
  /**
   * Begins to close the resource as soon as the first resource closes, and waits for it only in its turn. Resources
   * that wait for work under way (servers, consumers, deliveries) thus use the same time.
   */
  readonly atOnce?: boolean;
}

interface Step {
  readonly name: string;
  readonly announce: () => void;
  readonly atOnce: boolean;
  readonly close: () => Promise<unknown>;
}

/** Remembers how to close what was opened, and closes it in reverse. */
export class Closing {
  readonly #steps: Step[] = [];
  readonly #open = new Set<Step>();
  readonly #log: Logger;
  #announced = false;
  #closing: Promise<void> | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Returns the resource, so that opening it and arranging to close it stay on one line.
   * What is opened after the stop began is closed as soon as the rest is.
   */
  add<T>(
    name: string,
    resource: T,
    close: (resource: T) => unknown,
    { announce, atOnce = false }: ClosingOptions<T> = {},
  ): T {
    const step = {
      name,
      announce: () => announce?.(resource),
      atOnce,
      close: once(async () => close(resource)),
    };
    this.#steps.push(step);
    this.#open.add(step);
    if (this.#announced) step.announce();
    if (this.#closing) this.#closing = this.#closing.then(async () => this.#closeSteps());
    return resource;
  }

  /** Announces that a stop has begun to every resource that requires it. Nothing is closed yet. */
  announce(): void {
    if (this.#announced) return;
    this.#announced = true;
    for (const step of this.#steps) step.announce();
  }

  /**
   * Closes every resource once, however often this is called. A resource that refuses to close does not keep the others
   * open.
   */
  async closeAll(): Promise<void> {
    this.announce();
    this.#closing ??= this.#closeSteps();
    return this.#closing;
  }

  /** Returns the names of what is not closed yet, in the order of closing. */
  pending(): readonly string[] {
    return [...this.#open].map(({ name }) => name).toReversed();
  }

  async #closeSteps(): Promise<void> {
    for (const step of this.#steps) if (step.atOnce) void this.#closeStep(step);
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await this.#closeStep(step);
  }

  async #closeStep(step: Step): Promise<void> {
    try {
      await step.close();
    } catch (error) {
      if (this.#open.has(step))
        this.#log.error({ err: error, component: step.name }, 'close failed');
    } finally {
      this.#open.delete(step);
    }
  }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let working: Promise<T> | undefined;
  return () => (working ??= work());
}
