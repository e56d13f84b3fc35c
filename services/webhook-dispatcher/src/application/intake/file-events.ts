import type { AttemptRecord, Job, Result } from '../job.js';
import type { Dispatch } from '../sending/ports.js';
import type { Delivery, IntakeRows, JudgedEvent, NewDelivery, TakenEvent } from './ports.js';

export interface FilingPorts {
  readonly dispatch: Pick<Dispatch, 'stored' | 'released' | 'accept'>;
  /** Called with the successes of deliveries that were sent ahead, once they are committed. */
  readonly written: (results: readonly Result[]) => void;
  /** Called with new events, once they are committed. */
  readonly filed: (events: readonly TakenEvent[]) => void;
}

const CHUNK_DELIVERIES_MAX = 500;
const CHUNK_BYTES_MAX = 16 * 1_024 * 1_024;
/** Bounds of the jobs that are handed to the dispatcher after a commit; the rest is left to the table. */
const JOBS_MAX = 2_000;
const JOBS_BYTES_MAX = 32 * 1_024 * 1_024;

/** Files events with their deliveries, and counts repeats. Returns the function to call after the commit. */
export async function fileEvents(
  ports: FilingPorts,
  rows: IntakeRows,
  events: readonly TakenEvent[],
): Promise<() => void> {
  const fresh = events.filter(({ isRepeat }) => !isRepeat);
  const filings = filingsOf(fresh);
  const known = await recordAll(rows, fresh, filings);
  const repeats = repeatsIn(events, known);
  if (repeats.size > 0) await rows.countRepeats(repeats);
  return () => afterCommit(ports, fresh, filings, known);
}

/** Files events by one call of `record`, which files all or none. Undefined: they take more than that. */
export function fileAtOnce(
  ports: FilingPorts,
  record: IntakeRows['record'],
  events: readonly TakenEvent[],
): Promise<() => void> | undefined {
  if (events.some(({ isRepeat }) => isRepeat)) return undefined;
  const filings = filingsOf(events);
  if (chunksOf(filings).length > 1) return undefined;
  return record(events, filings).then((known) => () => afterCommit(ports, events, filings, known));
}

/** Returns the deliveries of events, with what is known now of those that were sent ahead. */
function filingsOf(events: readonly TakenEvent[]): readonly Delivery[] {
  const filings = events.flatMap(({ deliveries }) => deliveries);
  for (const filing of filings) filing.sent = acceptedIn(filing);
  return filings;
}

/**
 * Notifies the dispatcher after the commit of the deliveries that have rows, and hands it those that were not sent
 * ahead; then tells which events were filed.
 */
function afterCommit(
  { dispatch, written, filed }: FilingPorts,
  events: readonly TakenEvent[],
  filings: readonly Delivery[],
  known: ReadonlySet<string>,
): void {
  const [accepted, ahead, others]: [Delivery[], Delivery[], Delivery[]] = [[], [], []];
  for (const filing of filings) {
    const isNew = !known.has(filing.job.messageId);
    if (isNew && filing.sent) accepted.push(filing);
    else if (filing.isAhead) ahead.push(filing);
    else if (isNew) others.push(filing);
  }
  dispatch.released(accepted.map(({ job }) => job));
  written(accepted.flatMap(resultOf));
  dispatch.stored(
    ahead.map(({ job }) => job),
    ahead.flatMap(resultOf),
  );
  dispatch.accept(jobsToSend(others));
  filed(events.filter(({ event }) => !known.has(event.messageId)));
}

/** Returns the attempt that was accepted before the delivery is filed. */
const acceptedIn = ({ result }: Delivery): AttemptRecord | undefined =>
  result?.fact.type === 'delivery.succeeded' ? result.record : undefined;

const resultOf = ({ result }: Delivery): readonly Result[] => (result ? [result] : []);

async function recordAll(
  rows: IntakeRows,
  events: readonly JudgedEvent[],
  filings: readonly NewDelivery[],
): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set();
  const [first = [], ...more] = chunksOf(filings);
  const known = await rows.record(events, first);
  for (const chunk of more) {
    const fresh = chunk.filter(({ job }) => !known.has(job.messageId));
    if (fresh.length > 0) await rows.insertDeliveries(fresh);
  }
  return known;
}

/** Returns the filings in chunks, each for one statement. */
function chunksOf(filings: readonly NewDelivery[]): readonly (readonly NewDelivery[])[] {
  const chunks: NewDelivery[][] = [];
  let bytes = 0;
  for (const filing of filings) {
    const { length } = filing.job.body;
    const last = chunks.at(-1);
    if (last && last.length < CHUNK_DELIVERIES_MAX && bytes + length <= CHUNK_BYTES_MAX) {
      last.push(filing);
      bytes += length;
    } else {
      chunks.push([filing]);
      bytes = length;
    }
  }
  return chunks;
}

function jobsToSend(filings: readonly NewDelivery[]): readonly Job[] {
  const jobs: Job[] = [];
  let bytes = 0;
  for (const { job, verdict } of filings) {
    if (jobs.length >= JOBS_MAX || bytes >= JOBS_BYTES_MAX) break;
    if (verdict !== 'pending') continue;
    jobs.push(job);
    bytes += job.body.length;
  }
  return jobs;
}

/** Returns how often each event was dropped: because it came before, or because another replica has filed it. */
function repeatsIn(
  events: readonly TakenEvent[],
  known: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const repeats = new Map<string, number>();
  for (const { event, isRepeat } of events) {
    const { messageId } = event;
    if (isRepeat || known.has(messageId)) repeats.set(messageId, (repeats.get(messageId) ?? 0) + 1);
  }
  return repeats;
}
