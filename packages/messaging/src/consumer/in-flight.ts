import { atMost, backoffMs, deferred, pause } from '@junction/async';
import type { AssignedPartition, FlightRecord } from './partition.js';
import type { Batch, Processed } from './process-batch.js';

/** Records of a partition that are to be written. */
export interface Share extends Batch {
  readonly of: AssignedPartition;
}

export interface InFlightOptions {
  readonly partitions: readonly AssignedPartition[];
  /** Maximum records in one transaction, of all partitions together. */
  readonly batchMax: number;
  readonly write: (shares: readonly Share[]) => Promise<readonly PromiseSettledResult<Processed>[]>;
  /** Returns whether the error says that another member has moved the stored offset. */
  readonly isOvertaken: (error: unknown) => boolean;
  /** Called with a partition whose stored offset another member has moved. */
  readonly seekAgain: (of: AssignedPartition) => void;
  readonly onWritten: (share: Share, done: Processed) => void;
  readonly onFailed: (of: readonly AssignedPartition[], error: unknown) => void;
  /** Called with records that are not written. */
  readonly letGo: (records: readonly FlightRecord[]) => void;
}

/** Milliseconds that the first ready record waits for others: a write costs as much for one record as for many. */
const LINGER_MS = 25;

/**
 * Records whose work has started and whose effect is not written. Effects are written as they become ready, in the
 * order of each partition's log and with its offset, so that the stored offset never passes a record whose effect is
 * not written. A write that fails is tried again until it succeeds. Once another member has moved the stored offset
 * nothing of the partition is written: that member has handled the records before its offset, and the rest is fetched
 * again.
 */
export class InFlight {
  readonly #options: InFlightOptions;
  readonly #closed = new AbortController();
  #running: Promise<void> | undefined;
  #failures = 0;
  #nextChange = deferred<void>();

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  /** Adds records of one partition in the order of their log. */
  add(to: AssignedPartition, records: readonly FlightRecord[]): void {
    for (const flight of records) {
      to.inFlight.push(flight);
      void flight.record.ready.then(() => {
        flight.isReady = true;
        if (to.inFlight[0] === flight) this.#running ??= this.#run();
      });
    }
  }

  /** Returns whether a whole transaction waits behind another: work that starts now would only wait. */
  get isBehind(): boolean {
    return this.#ready >= 2 * this.#options.batchMax;
  }

  /** Number of records that are ready before the first of their partition that is not, those under way included. */
  get #ready(): number {
    return this.#options.partitions.reduce((ready, partition) => ready + readyIn(partition), 0);
  }

  /** Resolves when the next write has ended, well or not, or when nothing is written any more. */
  async changed(): Promise<void> {
    return this.#nextChange.promise;
  }

  /** Resolves when no record is in flight, of one partition or of all. */
  async drained(of?: AssignedPartition): Promise<void> {
    const all = of ? [of] : this.#options.partitions;
    while (all.some((partition) => partition.inFlight.length > 0)) await this.changed();
  }

  /**
   * Drops the last records whose work has not begun, writes for `maxMs` milliseconds at most, and drops the remaining
   * records. Resolves when no write is under way any more; no record may be added from then on.
   */
  async close(maxMs: number): Promise<void> {
    const { partitions, letGo } = this.#options;
    for (const { inFlight } of partitions) {
      // Each is asked in its turn: dropping a record may have the work of an earlier one begin.
      while (inFlight.at(-1)?.record.hasBegun?.() === false) letGo(inFlight.splice(-1));
    }
    await atMost(maxMs, this.drained());
    this.#closed.abort();
    await this.#running;
    for (const { inFlight } of partitions) letGo(inFlight.splice(0));
    this.#tellChange();
  }

  #tellChange(): void {
    this.#nextChange.resolve();
    this.#nextChange = deferred();
  }

  async #run(): Promise<void> {
    const { partitions } = this.#options;
    while (partitions.some(isFirstReady) && !this.#closed.signal.aborted) {
      if (this.#ready < this.#options.batchMax) await pause(LINGER_MS);
      await this.#writeReady();
    }
    this.#running = undefined;
  }

  async #writeReady(): Promise<void> {
    const { partitions, batchMax, write, onFailed } = this.#options;
    const shares = readyShares(partitions, batchMax);
    const results = await write(shares);
    const problems = shares.map((share, index) => this.#settle(share, results[index]));
    const failed = shares.filter((_, index) => problems[index] !== undefined);
    this.#failures = failed.length > 0 ? this.#failures + 1 : 0;
    if (failed.length > 0) {
      onFailed(
        failed.map(({ of }) => of),
        problems.find((problem) => problem !== undefined),
      );
    }
    this.#tellChange();
    if (failed.length > 0) await pause(backoffMs(this.#failures), this.#closed.signal);
  }

  /** Returns the error that keeps records from being written, unless another member has moved the offset. */
  #settle(share: Share, result?: PromiseSettledResult<Processed>): unknown {
    const { isOvertaken, seekAgain, onWritten, letGo } = this.#options;
    const { of } = share;
    if (result?.status === 'fulfilled') {
      of.inFlight.splice(0, result.value.count);
      onWritten(share, result.value);
      return undefined;
    }
    if (!isOvertaken(result?.reason)) return result?.reason;
    seekAgain(of);
    letGo(of.inFlight.splice(0));
    return undefined;
  }
}

/** Returns how many records of the partition are ready before the first that is not. */
function readyIn({ inFlight }: AssignedPartition): number {
  const end = inFlight.findIndex(({ isReady }) => !isReady);
  return end === -1 ? inFlight.length : end;
}

const isFirstReady = ({ inFlight: [first] }: AssignedPartition): boolean => first?.isReady === true;

/** Returns, for the partitions of one topic, the records that are ready before the first that is not. */
function readyShares(partitions: readonly AssignedPartition[], max: number): readonly Share[] {
  const ready = partitions.filter(isFirstReady);
  const topic = ready[0]?.at.topic;
  const shares: Share[] = [];
  let room = max;
  for (const of of ready.filter(({ at }) => at.topic === topic)) {
    if (room === 0) break;
    const some = of.inFlight.slice(0, Math.min(room, readyIn(of)));
    room -= some.length;
    shares.push({
      of,
      partition: of.at.partition,
      topicId: of.topicId,
      from: some[0]?.from ?? of.stored,
      to: some.at(-1)?.to ?? of.stored,
      records: some.map(({ record }) => record),
    });
  }
  return shares;
}
