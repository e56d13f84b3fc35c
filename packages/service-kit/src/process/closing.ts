import type { Logger } from '../logging/logger.js';

/** Remembers how to close what was opened, and closes it in reverse. */
export class Closing {
  readonly #steps: { readonly name: string; readonly close: () => Promise<unknown> }[] = [];
  readonly #log: Logger;
  #closing: Promise<void> | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Returns the resource, so that opening it and arranging to close it stay on one line.
   * What is opened after the stop began is closed as soon as the rest is.
   */
  add<T>(name: string, resource: T, close: (resource: T) => unknown): T {
    this.#steps.push({ name, close: async () => close(resource) });
    if (this.#closing) this.#closing = this.#closing.then(async () => this.#closeSteps());
    return resource;
  }

  /** One resource that refuses to close does not keep the others open. Asking twice closes once. */
  async closeAll(): Promise<void> {
    this.#closing ??= this.#closeSteps();
    return this.#closing;
  }

  async #closeSteps(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      const { name, close } = step;
      await close().catch((error: unknown) => {
        this.#log.error({ err: error, component: name }, 'close failed');
      });
    }
  }
}
