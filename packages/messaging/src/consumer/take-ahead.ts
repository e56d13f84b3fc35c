import { batcher } from '@junction/async';
import type { FetchedBatch } from '@junction/kafka';
import {
  type AssignmentOptions,
  backOff,
  type Context,
  type FlightContext,
  isSeeking,
  report,
} from './context.js';
import type { Begin, BegunRecord } from './handle.js';
import { InFlight } from './in-flight.js';
import { OffsetMovedError } from './offsets.js';
import type { AssignedPartition, Begun } from './partition.js';
import { processBatches } from './process-batch.js';

/** Records that are begun together, of however many partitions, and how many such calls run at the same time. */
const BEGIN_RECORDS_MAX = 150;
const BEGINNINGS_MAX = 2;

/** What many partitions bring at the same time is begun together. */
export function beginning({ begin, ready }: AssignmentOptions): Begin | undefined {
  return (
    begin &&
    batcher<Parameters<Begin>[0], Awaited<ReturnType<Begin>>>({
      concurrency: BEGINNINGS_MAX,
      sizeMax: BEGIN_RECORDS_MAX,
      sizeOf: ({ length }) => length,
      async process(groups) {
        await ready();
        const begun = await begin(groups.flat());
        let at = 0;
        return groups.map(({ length }) => begun.slice(at, (at += length)));
      },
    })
  );
}

/** Writes what is in flight, as long as it takes: at the end of the assignment too. */
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
    onWritten({ of, from, to, records, isOvertaken }, { count, deadLetters }) {
      report(context, deadLetters);
      if (isOvertaken) return seekAgain(of);
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

/** Begins with a fetched batch, of which nothing need be written when this resolves. */
export async function takeAhead(
  context: FlightContext,
  begin: Begin,
  partition: AssignedPartition,
  batch: FetchedBatch,
): Promise<void> {
  const { records } = batch;
  // Looked up before anything is waited for: where the stored offset is sought anew meanwhile, these do not follow it.
  let from = partition.inFlight.at(-1)?.to ?? partition.stored;
  for (let done = 0; done < records.length; done += BEGIN_RECORDS_MAX) {
    if (!batch.isActive() || partition.state !== 'running') return;
    const some = records.slice(done, done + BEGIN_RECORDS_MAX);
    const isRest = done + some.length === records.length;
    const begun = await begin(some).catch((error: unknown) => backOff(context, partition, error));
    if (begun === undefined) return;

    const spans = spansOf(begun, from, isRest ? batch.lastOffset : undefined);
    context.flights.add(partition, spans);
    from = spans.at(-1)?.to ?? from;
    if (!isSeeking(partition)) partition.position = from;
    batch.resolve(some.at(-1)?.offset ?? from);
    await batch.heartbeat();
  }
}

/** Each record with the stored offset before and after it. `lastOffset`: behind the last there are markers. */
function spansOf(
  records: readonly BegunRecord[],
  from: bigint,
  lastOffset: bigint | undefined,
): readonly Begun[] {
  let before = from;
  return records.map((record, index) => {
    const isLast = index === records.length - 1;
    const to = ((isLast && lastOffset) || record.offset) + 1n;
    const begun = { record, from: before, to, isReady: false };
    before = to;
    return begun;
  });
}
