import { batcher } from '@junction/async';
import type { FetchedBatch, Log } from '@junction/kafka';
import {
  type AssignmentOptions,
  backOff,
  type Context,
  type FlightContext,
  isSeeking,
  report,
} from './context.js';
import { callAfterCommit, type Prepare, type PreparedRecord } from './handle.js';
import { InFlight } from './in-flight.js';
import { OffsetMovedError } from './offsets.js';
import type { AssignedPartition, FlightRecord } from './partition.js';
import { processBatches } from './process-batch.js';

/**
 * Maximum records whose work starts together, of however many partitions, and maximum of such calls at the same time.
 */
const PREPARE_RECORDS_MAX = 150;
const PREPARATIONS_MAX = 2;

/** Maximum records of a partition whose work has started and whose effect is not written. */
const IN_FLIGHT_MAX = 2_000;

/** Starts the work of records together that many partitions bring at the same time. */
export function preparing({ prepare }: AssignmentOptions, ended: AbortSignal): Prepare | undefined {
  return (
    prepare &&
    batcher<Parameters<Prepare>[0], Awaited<ReturnType<Prepare>>>({
      concurrency: PREPARATIONS_MAX,
      sizeMax: PREPARE_RECORDS_MAX,
      sizeOf: ({ length }) => length,
      async process(groups) {
        ended.throwIfAborted();
        const prepared = await prepare(groups.flat());
        let at = 0;
        return groups.map(({ length }) => prepared.slice(at, (at += length)));
      },
    })
  );
}

/** Holds the records of an assignment whose work has started, and writes them. */
export function flightsOf(
  context: Context,
  partitions: readonly AssignedPartition[],
  seekAgain: (partition: AssignedPartition) => void,
): InFlight {
  const { pool, group, topicPrefix, batchMax } = context;
  const processing = { ...context, pool, consumer: group, isDurable: true };
  return new InFlight({
    partitions,
    batchMax,
    write: async (shares) => {
      const topic = shares[0]?.of.at.topic.slice(topicPrefix.length) ?? '';
      return processBatches({ ...processing, topic }, shares);
    },
    isOvertaken: (error) => error instanceof OffsetMovedError,
    seekAgain,
    letGo: (prepared) =>
      letGo(
        prepared.map(({ record }) => record),
        context.log,
      ),
    onWritten({ of, from, to, records }, { count, deadLetters }) {
      report(context, deadLetters);
      const next = count < records.length ? (of.inFlight[0]?.from ?? to) : to;
      if (of.stored === from) of.stored = next;
      of.failures = 0;
      of.failingSinceMs = undefined;
    },
    onFailed(failed, error) {
      for (const partition of failed) {
        if (partition.state === 'running') backOff(context, partition, error);
      }
    },
  });
}

/** Starts the work of a fetched batch. Nothing of the batch need be written when this function resolves. */
export async function takeAhead(
  context: FlightContext,
  prepare: Prepare,
  partition: AssignedPartition,
  batch: FetchedBatch,
): Promise<void> {
  const { records } = batch;
  const { epoch } = partition;
  const stands = (): boolean => partition.epoch === epoch && !context.ended.aborted;
  const mayGoOn = (): boolean => batch.isActive() && stands() && partition.state === 'running';
  let from = partition.inFlight.at(-1)?.to ?? partition.stored;
  for (let done = 0; done < records.length; done += PREPARE_RECORDS_MAX) {
    await room(context.flights, partition, batch, mayGoOn);
    if (!mayGoOn()) return;
    const some = records.slice(done, done + PREPARE_RECORDS_MAX);
    const isRest = done + some.length === records.length;
    const prepared = await prepare(some).catch((error: unknown) => {
      if (stands()) backOff(context, partition, error);
    });
    if (prepared === undefined) return;
    // Another assignment, or another offset, has come meanwhile: these records are fetched again there.
    if (!stands()) return letGo(prepared, context.log);

    const spans = spansOf(prepared, from, isRest ? batch.lastOffset : undefined);
    context.flights.add(partition, spans);
    from = spans.at(-1)?.to ?? from;
    if (!isSeeking(partition)) partition.position = from;
    batch.resolve(some.at(-1)?.offset ?? from);
    await batch.heartbeat();
  }
}

/** Waits while too many records are in flight, or the writes are behind. Each write meanwhile is a sign of life. */
async function room(
  flights: InFlight,
  { inFlight }: AssignedPartition,
  batch: FetchedBatch,
  mayGoOn: () => boolean,
): Promise<void> {
  while ((inFlight.length >= IN_FLIGHT_MAX || flights.isBehind) && mayGoOn()) {
    await flights.changed();
    if (mayGoOn()) await batch.heartbeat();
  }
}

/** Notifies records that they are not handled here. */
function letGo(records: readonly PreparedRecord[], log: Log): void {
  const calls = records.map(({ abandon }) => abandon);
  callAfterCommit(
    calls.filter((call) => call !== undefined),
    log,
  );
}

/**
 * Returns each record with the stored offset before and after it. `lastOffset`: the end of the batch, when markers may
 * follow its last record.
 */
function spansOf(
  records: readonly PreparedRecord[],
  from: bigint,
  lastOffset: bigint | undefined,
): readonly FlightRecord[] {
  let before = from;
  return records.map((record, index) => {
    const isLast = index === records.length - 1;
    const to = ((isLast && lastOffset) || record.offset) + 1n;
    const flight = { record, from: before, to, isReady: false };
    before = to;
    return flight;
  });
}
