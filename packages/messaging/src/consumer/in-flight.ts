import { backoffMs, pause } from '@junction/async';
import type { AssignedPartition, Begun } from './partition.js';
import type { Batch, Processed } from './process-batch.js';

/** What is to be written of a partition. */
export interface Share extends Batch {
  readonly of: AssignedPartition;
}

export interface InFlightOptions {
  readonly partitions: readonly AssignedPartition[];
  /** Records in one transaction, of all partitions together. */
  readonly batchMax: number;
  readonly write: (shares: readonly Share[]) => Promise<readonly PromiseSettledResult<Processed>[]>;
  /** Says whether another member has moved the stored offset: then the effects are written without it. */
  readonly isOvertaken: (error: unknown) => boolean;
  readonly onWritten: (share: Share, done: Processed) => void;
  readonly onFailed: (of: readonly AssignedPartition[], error: unknown) => void;
}

/** A write costs as much for one record as for many: the first that is ready waits that long for others. */
const LINGER_MS = 10;

/**
 * Records whose work has begun and whose effect is not written. Effects are written as they become ready, in the order
 * of each partition's log, so that the stored offset never passes a record whose effect is not written. What cannot be
 * written is kept and tried again until it is.
 */
export class InFlight {
  readonly #options: InFlightOptions;
  #isRunning = false;
  #failures = 0;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  /** Adds records of one partition in the order of their log. */
  add(to: AssignedPartition, records: readonly Begun[]): void {
    for (const begun of records) {
      to.inFlight.push(begun);
      void begun.record.ready.then(() => {
        begun.isReady = true;
        if (to.inFlight[0] === begun && !this.#isRunning) void this.#run();
      });
    }
  }

  /** Resolves when nothing is in flight, of one partition or of all. */
  async drained(of?: AssignedPartition): Promise<void> {
    const all = of ? [of] : this.#options.partitions;
    while (all.some((partition) => partition.inFlight.length > 0)) await pause(LINGER_MS);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#options.partitions.some(isFirstReady)) {
      await pause(LINGER_MS);
      await this.#writeReady();
    }
    this.#isRunning = false;
  }

  async #writeReady(): Promise<void> {
    const { partitions, batchMax, write, onFailed } = this.#options;
    const shares = readyShares(partitions, batchMax);
    const results = await write(shares);
    const problems = shares.flatMap((share, index) => {
      const result = results[index];
      const problem = result && this.#settle(share, result);
      return problem === undefined ? [] : [{ of: share.of, problem }];
    });
    this.#failures = problems.length > 0 ? this.#failures + 1 : 0;
    if (problems.length === 0) return;
    const failed = problems.map(({ of }) => of);
    onFailed(failed, problems[0]?.problem);
    await pause(backoffMs(this.#failures));
  }

  /** Gives what is in the way of a share, if that is not another member. */
  #settle(share: Share, result: PromiseSettledResult<Processed>): unknown {
    const { isOvertaken, onWritten } = this.#options;
    const { of } = share;
    if (result.status === 'rejected') {
      if (!isOvertaken(result.reason)) return result.reason;
      of.isOvertaken = true;
      return undefined;
    }
    of.inFlight.splice(0, result.value.count);
    onWritten(share, result.value);
    if (of.inFlight.length === 0) of.isOvertaken = false;
    return undefined;
  }
}

const isFirstReady = ({ inFlight: [first] }: AssignedPartition): boolean => first?.isReady === true;

/** Of each partition of one topic what is ready before the first that is not. */
function readyShares(partitions: readonly AssignedPartition[], max: number): readonly Share[] {
  const ready = partitions.filter(isFirstReady);
  const topic = ready[0]?.at.topic;
  const shares: Share[] = [];
  let room = max;
  for (const of of ready.filter(({ at }) => at.topic === topic)) {
    if (room === 0) break;
    const end = of.inFlight.findIndex(({ isReady }) => !isReady);
    const some = of.inFlight.slice(0, Math.min(room, end === -1 ? of.inFlight.length : end));
    room -= some.length;
    shares.push({
      of,
      partition: of.at.partition,
      from: some[0]?.from ?? of.stored,
      to: some.at(-1)?.to ?? of.stored,
      records: some.map(({ record }) => record),
      isOvertaken: of.isOvertaken,
    });
  }
  return shares;
}
