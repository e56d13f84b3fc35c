import type { Dispatch } from './dispatch/dispatch.js';
import type { Job, Result } from './dispatch/job.js';
import { type Delivery, type TakenEvent, takenEvent } from './judge-event.js';
import type { IncomingEvent, IntakeReads, IntakeRows, JudgedEvent, NewDelivery } from './ports.js';
import { waitsOf } from './waits.js';

export interface IntakePorts {
  readonly dispatch: Pick<Dispatch, 'offerAhead' | 'stored' | 'released' | 'accept'>;
  /** Called with the successes of deliveries that were sent ahead, once they are committed. */
  readonly written: (results: readonly Result[]) => void;
  /** Called with new events, once they are committed. */
  readonly came: (events: readonly TakenEvent[]) => void;
  /** Calls `call` after so many milliseconds. */
  readonly after: (ms: number, call: () => void) => void;
}

export interface BegunEvent {
  readonly taken: TakenEvent;
  /** Resolves when all deliveries that were sent ahead are answered, or should not be waited for any longer. */
  readonly ready: Promise<void>;
}

export interface Intake {
  /** Determines what follows from events. Rejects only when nothing could be looked up. */
  take(reads: IntakeReads, events: readonly IncomingEvent[]): Promise<readonly TakenEvent[]>;
  /** Does the same as `take`, and sends at once what may be sent at once. When it rejects, nothing was sent. */
  begin(reads: IntakeReads, events: readonly IncomingEvent[]): Promise<readonly BegunEvent[]>;
  /** Files events, none of which has failed, within a transaction. Returns the function to call after the commit. */
  file(rows: IntakeRows, events: readonly TakenEvent[]): Promise<() => void>;
  /** Gives up an event of `begin` that cannot be filed: the event is new when it comes again. */
  giveUp(event: TakenEvent): void;
}

/**
 * Milliseconds to wait for answers. A delivery that takes longer is filed as pending while it is under way, so that the
 * log of events goes on.
 */
const ANSWERED_WITHIN_MS = 500;
const CHUNK_DELIVERIES_MAX = 1_000;
const CHUNK_BYTES_MAX = 16 * 1_024 * 1_024;
/** Bounds of the jobs that are handed to the dispatcher after a commit; the rest is left to the table. */
const JOBS_MAX = 2_000;
const JOBS_BYTES_MAX = 32 * 1_024 * 1_024;
const NOW = Promise.resolve();

/**
 * Creates the intake of events: it matches them with the webhooks of their users, drops what was seen before, sends
 * what may be sent at once, and files the events with their deliveries. A delivery that was not accepted soon is filed
 * as pending.
 */
export function intake(ports: IntakePorts): Intake {
  /** Messages whose events are under way and not filed: the table does not know them yet. */
  const underWay = new Set<string>();

  return {
    async take(reads, events) {
      const seen = new Set(underWay);
      const found = await reads.look(events);
      return events.map((event) => {
        const taken = takenEvent(event, found, seen);
        if (taken.failure === undefined) seen.add(event.messageId);
        return taken;
      });
    },

    async begin(reads, events) {
      const found = await reads.look(events);
      const waits = waitsOf((end) => ports.after(ANSWERED_WITHIN_MS, end));
      return events.map((event) => {
        const taken = takenEvent(event, found, underWay);
        if (taken.isRepeat || taken.failure !== undefined) return { taken, ready: NOW };
        try {
          const ready = waits.until((onDecided) => sendAhead(ports, taken, onDecided));
          // Added last: an event that is remembered but was not started would be dropped when it comes again, and lost.
          underWay.add(event.messageId);
          return { taken, ready };
        } catch (cause) {
          return { taken: { ...taken, failure: { cause } }, ready: NOW };
        }
      });
    },

    async file(rows, events) {
      const fresh = events.filter(({ isRepeat }) => !isRepeat);
      const filings = fresh.flatMap(({ deliveries }) => deliveries.map(toFile));
      const known = await recordAll(rows, fresh, filings);
      const repeats = repeatsIn(events, known);
      if (repeats.size > 0) await rows.countRepeats(repeats);
      return () => {
        for (const { event } of fresh) underWay.delete(event.messageId);
        settle(ports, filings, known);
        ports.came(fresh.filter(({ event }) => !known.has(event.messageId)));
      };
    },

    giveUp({ event, deliveries, isRepeat, failure }) {
      if (isRepeat) return;
      if (failure === undefined) underWay.delete(event.messageId);
      ports.dispatch.released(deliveries.filter(({ isAhead }) => isAhead).map(({ job }) => job));
    },
  };
}

/** Sends deliveries ahead, and returns how many. `onDecided` is called once for each of them. */
function sendAhead(
  { dispatch }: IntakePorts,
  { deliveries }: TakenEvent,
  onDecided: () => void,
): number {
  let sent = 0;
  for (const delivery of deliveries) {
    if (delivery.verdict !== 'pending') continue;
    delivery.isAhead = dispatch.offerAhead(delivery.job, (result) => {
      if (result) delivery.result = result;
      else delivery.isAhead = false;
      onDecided();
    });
    if (delivery.isAhead) sent++;
  }
  return sent;
}

/**
 * Notifies the dispatcher after the commit of the deliveries that have rows, and hands it those that were not sent
 * ahead.
 */
function settle(
  { dispatch, written }: IntakePorts,
  filings: readonly Filing[],
  known: ReadonlySet<string>,
): void {
  const [accepted, ahead, others]: [Filing[], Filing[], Filing[]] = [[], [], []];
  for (const filing of filings) {
    const isNew = !known.has(filing.job.messageId);
    if (isNew && filing.sent) accepted.push(filing);
    else if (filing.delivery.isAhead) ahead.push(filing);
    else if (isNew) others.push(filing);
  }
  dispatch.released(accepted.map(({ job }) => job));
  written(accepted.flatMap(resultOf));
  dispatch.stored(
    ahead.map(({ job }) => job),
    ahead.flatMap(resultOf),
  );
  dispatch.accept(jobsToSend(others));
}

/** Delivery as a transaction files it. An answer may still come before the commit. */
interface Filing extends NewDelivery {
  readonly delivery: Delivery;
}

function toFile(delivery: Delivery): Filing {
  const { job, eventTime, verdict, result } = delivery;
  const isAccepted = result?.fact.type === 'delivery.succeeded';
  return { delivery, job, eventTime, verdict, sent: isAccepted ? result.record : undefined };
}

const resultOf = ({ delivery }: Filing): readonly Result[] =>
  delivery.result ? [delivery.result] : [];

async function recordAll(
  rows: IntakeRows,
  events: readonly JudgedEvent[],
  filings: readonly Filing[],
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
function chunksOf(filings: readonly Filing[]): readonly (readonly Filing[])[] {
  const chunks: Filing[][] = [];
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

function jobsToSend(filings: readonly Filing[]): readonly Job[] {
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
