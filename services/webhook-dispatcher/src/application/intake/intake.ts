import { briefSlices, deferred } from '@junction/async';
import { RecordError } from '@junction/messaging';
import type { Job } from '../job.js';
import type { Dispatch } from '../sending/ports.js';
import { type FilingPorts, fileEvents } from './file-events.js';
import { takenEvent } from './judge-event.js';
import type {
  Delivery,
  IncomingEvent,
  IntakeReads,
  IntakeRows,
  TakenEvent,
  WebhooksByUser,
} from './ports.js';

export interface IntakePorts extends FilingPorts {
  readonly dispatch: FilingPorts['dispatch'] & Pick<Dispatch, 'offerAhead'>;
  /** Calls `call` after so many milliseconds. */
  readonly after: (ms: number, call: () => void) => void;
}

/** A record that holds no event to take in, or at which something failed: it becomes a dead letter. */
export interface Invalid {
  readonly kind: 'invalid';
  readonly error: RecordError;
}

/** A record after the check of the rules of its topic. */
export type Checked = { readonly kind: 'valid'; readonly event: IncomingEvent } | Invalid;

/** A record with what follows from its event. */
export type Prepared =
  | Invalid
  | {
      readonly kind: 'taken';
      readonly event: TakenEvent;
      /** Resolves when all deliveries that were sent ahead are answered, or should not be waited for any longer. */
      readonly ready: Promise<void>;
    };

/** An event of a record, which is under way from its claim on unless it came before. */
interface Claimed {
  readonly kind: 'valid';
  readonly event: IncomingEvent;
  readonly isRepeat: boolean;
}

/** Intake of events. Answers are as many as records, in their order. */
export interface Intake {
  /** Determines what follows from events; what is prepared stays. Rejects only when nothing could be looked up. */
  take(reads: IntakeReads, records: readonly (Checked | Prepared)[]): Promise<readonly Prepared[]>;
  /** Does the same as `take`, and sends at once what may be sent at once. When it rejects, nothing was sent. */
  prepare(reads: IntakeReads, records: readonly Checked[]): Promise<readonly Prepared[]>;
  /** Files events within a transaction. Returns the function to call after the commit. */
  file(rows: IntakeRows, events: readonly TakenEvent[]): Promise<() => void>;
  /** Gives up an event of `prepare` that cannot be filed: the event is new when it comes again. */
  giveUp(event: TakenEvent): void;
}

/**
 * Milliseconds to wait for deliveries. Those that are sent are late half a second after that, and then are filed as
 * pending while they are under way; those that wait longer to be sent are filed so as well, and the log goes on.
 */
const ANSWERED_WITHIN_MS = 1_000;

/**
 * Creates the intake of events: it matches them with the webhooks of their users, drops what was seen before, sends
 * what may be sent at once, and files the events with their deliveries. A delivery that was not accepted soon is filed
 * as pending.
 */
export function intake(ports: IntakePorts): Intake {
  /** Messages whose events are under way and not filed: the table does not know them yet. */
  const underWay = new Set<string>();

  const claim = (event: IncomingEvent, known: ReadonlySet<string>): Claimed => {
    const { messageId } = event;
    const isRepeat = known.has(messageId) || underWay.has(messageId);
    if (!isRepeat) underWay.add(messageId);
    return { kind: 'valid', event, isRepeat };
  };

  return {
    async take(reads, records) {
      if (records.every(isPrepared)) return records;
      const { webhooks, known } = await reads.look(records.flatMap(eventOf));
      // A set of its own: these events are filed or not with their transaction, and nothing of them is under way.
      const seen = new Set([...known, ...underWay]);
      return records.map((record) => {
        if (isPrepared(record)) return record;
        const { messageId } = record.event;
        return orNotTaken((): Prepared => {
          const event = takenEvent(record.event, webhooks, seen.has(messageId));
          seen.add(messageId);
          return { kind: 'taken', event, ready: NOW };
        });
      });
    },

    async prepare(reads, records) {
      const { webhooks, known } = await reads.look(records.flatMap(eventOf));
      // All in one turn of the loop: an event that is filed from now on was looked up as one that is not known.
      const claimed = records.map((record) =>
        record.kind === 'invalid' ? record : claim(record.event, known),
      );
      // An event that is remembered but was not started would be dropped when it comes again, and lost.
      return sendAll(ports, claimed, webhooks, ({ messageId }) => underWay.delete(messageId));
    },

    async file(rows, events) {
      const afterCommit = await fileEvents(ports, rows, events);
      return () => {
        for (const { event, isRepeat } of events) if (!isRepeat) underWay.delete(event.messageId);
        afterCommit();
      };
    },

    giveUp({ event, deliveries, isRepeat }) {
      if (isRepeat) return;
      underWay.delete(event.messageId);
      ports.dispatch.released(jobsAhead(deliveries));
    },
  };
}

const isPrepared = (record: Checked | Prepared): record is Prepared => record.kind !== 'valid';

const eventOf = (record: Checked | Prepared): readonly IncomingEvent[] =>
  record.kind === 'valid' ? [record.event] : [];

/**
 * Returns the reason of a dead letter by a failure of ours: the name of the error alone, since its message may quote
 * the record.
 */
export function notTaken(cause: unknown): Invalid {
  const name = cause instanceof Error ? cause.name : 'a value that is no Error';
  const error = new RecordError('handler_failed', `Taking the event in failed with ${name}.`, {
    cause,
  });
  return { kind: 'invalid', error };
}

/** Returns what `take` does. When it throws, the record at which something failed becomes a dead letter. */
export function orNotTaken<T>(take: () => T): T | Invalid {
  try {
    return take();
  } catch (cause) {
    return notTaken(cause);
  }
}

/** Sends what may be sent at once, a few events in a turn of the loop. Calls `onFailed` with new events that failed. */
async function sendAll(
  ports: IntakePorts,
  records: readonly (Claimed | Invalid)[],
  webhooks: WebhooksByUser,
  onFailed: (event: IncomingEvent) => void,
): Promise<readonly Prepared[]> {
  const waiting: (() => void)[] = [];
  const between = briefSlices();
  const prepared: Prepared[] = [];
  for (const record of records) {
    if (record.kind === 'valid') {
      const { event: incoming, isRepeat } = record;
      const answer = orNotTaken((): Prepared => {
        const event = takenEvent(incoming, webhooks, isRepeat);
        return { kind: 'taken', event, ready: isRepeat ? NOW : sendAhead(ports, event, waiting) };
      });
      if (answer.kind === 'invalid' && !isRepeat) onFailed(incoming);
      prepared.push(answer);
    } else prepared.push(record);
    await between();
  }
  ports.after(ANSWERED_WITHIN_MS, () => waiting.forEach((resolve) => resolve()));
  return prepared;
}

/**
 * Sends deliveries ahead. Resolves once all that were sent are decided or late, or when the function that is added to
 * `waiting` is called. When one of them cannot be offered, those before it are given up.
 */
function sendAhead(
  { dispatch }: IntakePorts,
  { deliveries }: TakenEvent,
  waiting: (() => void)[],
): Promise<void> {
  const answered = deferred<void>();
  // Counts one more than the deliveries, so that an answer which comes at once is not taken for the last one.
  let awaited = 1;
  const decided = () => void (--awaited === 0 && answered.resolve());
  try {
    for (const delivery of deliveries) {
      if (delivery.verdict !== 'pending') continue;
      awaited++;
      let isAwaited = true;
      delivery.isAhead = dispatch.offerAhead(delivery.job, (result) => {
        if (result === 'removed') delivery.isAhead = false;
        else if (result !== 'late') delivery.result = result;
        if (isAwaited) decided();
        isAwaited = false;
      });
      if (!delivery.isAhead) decided();
    }
  } catch (error) {
    dispatch.released(jobsAhead(deliveries));
    throw error;
  }
  decided();
  waiting.push(answered.resolve);
  return answered.promise;
}

const jobsAhead = (deliveries: readonly Delivery[]): readonly Job[] =>
  deliveries.filter(({ isAhead }) => isAhead).map(({ job }) => job);

const NOW = Promise.resolve();
