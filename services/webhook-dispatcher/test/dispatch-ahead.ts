import type { Job, Result } from '../src/application/job.js';
import { DatabaseAway, type Replica } from './dispatch-replica.js';
import type { System } from './dispatch-system.js';

/** Milliseconds after which a delivery that was not answered, and is not known to be late, is filed. */
const FILED_AFTER_MS = 1_000;
const TRY_AGAIN_MS = 100;

/** Deliveries whose records a replica has read, and that are not written. */
const offered = new WeakMap<Replica, Set<string>>();

/** Records come to a replica: what it sends at once is written with its answer, or filed when that takes long. */
export function offerAhead({ table, rules }: System, replica: Replica, jobs: readonly Job[]): void {
  const unwritten = offered.get(replica) ?? new Set();
  offered.set(replica, unwritten);
  for (const job of jobs) {
    const { deliveryId } = job;
    table.log.set(deliveryId, job);
    unwritten.add(deliveryId);
    const sent = new SentAhead(replica, job, (result) => {
      if (result) rules.writing(result);
      table.fileSent(job, result && 'succeeded');
      unwritten.delete(deliveryId);
    });
    if (!replica.dispatch.offerAhead(job, (result) => sent.decided(result))) {
      table.fileSent(job, undefined);
      unwritten.delete(deliveryId);
      replica.dispatch.accept([job]);
    }
  }
}

/** The replica is dead: the records of what it did not write come to another. */
export function offerAgain(system: System, dead: Replica, to: Replica): void {
  const jobs = [...(offered.get(dead) ?? [])].flatMap((id) => system.table.log.get(id) ?? []);
  offerAhead(system, to, jobs);
}

/** Stands for the intake of a delivery that is sent ahead. Makes one write, which is repeated until it is committed. */
class SentAhead {
  readonly #replica: Replica;
  readonly #job: Job;
  /** Writes the delivery with a success, or as pending. */
  readonly #write: (succeeded: Result | undefined) => void;
  #result: Result | undefined;
  #isDecided = false;
  #isWriting = false;

  constructor(replica: Replica, job: Job, write: (succeeded: Result | undefined) => void) {
    this.#replica = replica;
    this.#job = job;
    this.#write = write;
    setTimeout(() => void this.#file(), FILED_AFTER_MS);
  }

  decided(result: Result | 'removed' | 'late'): void {
    if (this.#isDecided) throw new Error(`${this.#job.deliveryId} was decided twice.`);
    if (result !== 'late') this.#isDecided = true;
    if (typeof result === 'object') this.#result = result;
    void this.#file();
  }

  async #file(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    const { dispatch } = this.#replica;
    const success = this.#result?.fact.type === 'delivery.succeeded' ? this.#result : undefined;
    await this.#committed(() => this.#write(success));
    if (success) dispatch.released([this.#job]);
    // An answer that came while it was being filed goes the same way as one that comes later.
    else dispatch.stored([this.#job], this.#result ? [this.#result] : []);
  }

  async #committed(question: () => void): Promise<void> {
    for (;;) {
      try {
        return await this.#replica.ask(question);
      } catch (error) {
        if (!(error instanceof DatabaseAway)) throw error;
        await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
      }
    }
  }
}
