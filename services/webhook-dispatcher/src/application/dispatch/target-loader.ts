import type { Target } from './job.js';

export interface TargetLoaderOptions {
  readonly load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>;
  /** Undefined: there is no such webhook any more. `isLast`: nobody asked for it again meanwhile. */
  readonly loaded: (webhookId: string, target: Target | undefined, isLast: boolean) => void;
  readonly onError: (error: unknown) => void;
}

const BATCH_MAX = 200;

/** Loads webhooks, many at a time; who is asked for while a load is on is loaded once more after it. */
export class TargetLoader {
  readonly #options: TargetLoaderOptions;
  readonly #wanted = new Set<string>();
  #underWay: ReadonlySet<string> = new Set();
  #loading = false;

  constructor(options: TargetLoaderOptions) {
    this.#options = options;
  }

  /** Loads it as it is now, or later. */
  want(webhookId: string): void {
    this.#wanted.add(webhookId);
    this.retry();
  }

  /** Loads it, unless that is being done. */
  need(webhookId: string): void {
    if (!this.#underWay.has(webhookId)) this.want(webhookId);
  }

  /** Begins a load if somebody is wanted and none is on. After a failure only this begins anew. */
  retry(): void {
    if (this.#loading || this.#wanted.size === 0) return;
    this.#loading = true;
    // A batch of records asks for many webhooks in one go: wait for all of them.
    queueMicrotask(() => void this.#loadAll());
  }

  async #loadAll(): Promise<void> {
    const { load, loaded, onError } = this.#options;
    try {
      while (this.#wanted.size > 0) {
        const ids = [...this.#wanted].slice(0, BATCH_MAX);
        for (const id of ids) this.#wanted.delete(id);
        this.#underWay = new Set(ids);
        const targets = await load(ids).catch((error: unknown) => {
          for (const id of ids) this.#wanted.add(id);
          throw error;
        });
        this.#underWay = new Set();
        for (const id of ids) loaded(id, targets.get(id), !this.#wanted.has(id));
      }
    } catch (error) {
      onError(error);
    } finally {
      this.#underWay = new Set();
      this.#loading = false;
    }
  }
}
