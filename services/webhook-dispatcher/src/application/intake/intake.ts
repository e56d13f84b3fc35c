import { deferred } from '@junction/async';
import { RecordError } from '@junction/messaging';
import type { Job } from '../job.js';
import type { Dispatch } from '../sending/ports.js';
import { FairOrder } from './fair-order.js';
import { type FilingPorts, fileAtOnce, fileEvents } from './file-events.js';
import { takenEvent } from './judge-event.js';
import type {
  Delivery,
  IncomingEvent,
  IntakeReads,
  IntakeRows,
  MatchedWebhook,
  TakenEvent,
} from './ports.js';

export interface IntakePorts extends FilingPorts {
  readonly dispatch: FilingPorts['dispatch'] & Pick<Dispatch, 'offerAhead' | 'ready'>;
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
export type Prepared = Invalid | { readonly kind: 'taken'; readonly event: TakenEvent };

/** A record whose event is under way until it is filed or given up, unless it came before. */
export interface Claimed {
  readonly kind: 'claimed';
  readonly event: IncomingEvent;
  /** Consequence of the event: known from the event's turn on, and so once it is ready. */
  outcome: Prepared | undefined;
  /** Resolves when all deliveries that were sent ahead are answered, or should not be waited for any longer. */
  readonly ready: Promise<void>;
}

/** Intake of events. Answers are as many as records, in their order. */
export interface Intake {
  /** Determines what follows from events; what is prepared stays. Rejects only when nothing could be looked up. */
  take(reads: IntakeReads, records: readonly (Checked | Prepared)[]): Promise<readonly Prepared[]>;
  /**
   * Claims events, which are sent in their turn as far as they may be sent at once. When it rejects, nothing was
   * claimed.
   */
  prepare(reads: IntakeReads, records: readonly Checked[]): Promise<readonly (Claimed | Invalid)[]>;
  /** Files events within a transaction. Returns the function to call after the commit. */
  file(rows: IntakeRows, events: readonly TakenEvent[]): Promise<() => void>;
  /** Files events by one call of `record`, which files all or none. Undefined: they take more than that. */
  fileAtOnce(
    record: IntakeRows['record'],
    events: readonly TakenEvent[],
  ): Promise<() => void> | undefined;
  /** Gives up an event that cannot be filed: the event is new when it comes again. */
  giveUp(claimed: Claimed): void;
}

/** An event that waits for its turn. */
interface Turn {
  readonly event: IncomingEvent;
  readonly webhooks: readonly MatchedWebhook[];
  readonly cost: number;
  readonly claimed: Claimed;
  readonly answered: () => void;
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
  const { dispatch } = ports;
  /** Events that are under way and not filed, by message: the table does not know them yet. */
  const underWay = new Map<string, Turn>();
  const end = ({ messageId }: IncomingEvent): void => {
    const turn = underWay.get(messageId);
    underWay.delete(messageId);
    if (turn) turns.end(turn);
  };

  const turns = turnsOf(ports, end);

  const ending = (events: readonly TakenEvent[]) => (afterCommit: () => void) => () => {
    for (const { event, isRepeat } of events) if (!isRepeat) end(event);
    afterCommit();
  };

  return {
    take: async (reads, records) => takeAll(reads, records, underWay.keys()),

    async prepare(reads, records) {
      const { webhooks, known } = await reads.look(records.flatMap(eventOf));
      const claims: Turn[] = [];
      // All in one turn of the loop: an event that is filed from now on was looked up as one that is not known.
      const claimed = records.map((record) => {
        if (record.kind === 'invalid') return record;
        const { event } = record;
        if (known.has(event.messageId) || underWay.has(event.messageId)) return repeatOf(event);
        const turn = turnOf(event, webhooks.get(event.userId) ?? []);
        underWay.set(event.messageId, turn);
        claims.push(turn);
        return turn.claimed;
      });
      await turns.add(claims);
      return claimed;
    },

    file: async (rows, events) => fileEvents(ports, rows, events).then(ending(events)),

    fileAtOnce: (record, events) => fileAtOnce(ports, record, events)?.then(ending(events)),

    giveUp({ event, outcome }) {
      // A repeat was never under way, and an event at which something failed no longer is.
      if (outcome?.kind === 'invalid' || outcome?.event.isRepeat) return;
      end(event);
      if (outcome) dispatch.released(jobsAhead(outcome.event.deliveries));
    },
  };
}

/** Determines what follows from events, of which these messages are under way. */
async function takeAll(
  reads: IntakeReads,
  records: readonly (Checked | Prepared)[],
  underWay: Iterable<string>,
): Promise<readonly Prepared[]> {
  if (records.every(isPrepared)) return records;
  const { webhooks, known } = await reads.look(records.flatMap(eventOf));
  // A set of its own: these events are filed or not with their transaction, and nothing of them is under way.
  const seen = new Set([...known, ...underWay]);
  return records.map((record) => {
    if (isPrepared(record)) return record;
    const { messageId, userId } = record.event;
    return orNotTaken((): Prepared => {
      const event = takenEvent(record.event, webhooks.get(userId) ?? [], seen.has(messageId));
      seen.add(messageId);
      return { kind: 'taken', event };
    });
  });
}

/** Returns the order in which events are sent. `failed` is called with an event that cannot be. */
function turnsOf(ports: IntakePorts, failed: (event: IncomingEvent) => void): FairOrder<Turn> {
  const { dispatch, after } = ports;
  /** Ends of the wait for the deliveries of this turn of the loop. */
  let waiting: (() => void)[] = [];
  return new FairOrder<Turn>({
    dispatch,
    send({ event, webhooks, claimed, answered }) {
      claimed.outcome = orNotTaken((): Prepared => {
        const taken = takenEvent(event, webhooks, false);
        sendAhead(dispatch, taken, answered);
        return { kind: 'taken', event: taken };
      });
      if (claimed.outcome.kind === 'taken') waiting.push(answered);
      else {
        // An event that is remembered but was not started would be dropped when it comes again, and lost.
        failed(event);
        answered();
      }
    },
    turnEnded() {
      const calls = waiting;
      waiting = [];
      if (calls.length > 0) after(ANSWERED_WITHIN_MS, () => calls.forEach((call) => call()));
    },
  });
}

const repeatOf = (event: IncomingEvent): Claimed => ({
  kind: 'claimed',
  event,
  outcome: { kind: 'taken', event: takenEvent(event, [], true) },
  ready: NOW,
});

function turnOf(event: IncomingEvent, webhooks: readonly MatchedWebhook[]): Turn {
  const { promise: ready, resolve: answered } = deferred<void>();
  const claimed: Claimed = { kind: 'claimed', event, outcome: undefined, ready };
  return { event, webhooks, cost: webhooks.length, claimed, answered };
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

/**
 * Sends deliveries ahead, and calls `answered` once all that were sent are decided or late. When one of them cannot be
 * offered, those before it are given up.
 */
function sendAhead(
  dispatch: IntakePorts['dispatch'],
  { deliveries }: TakenEvent,
  answered: () => void,
): void {
  // Counts one more than the deliveries, so that an answer which comes at once is not taken for the last one.
  let awaited = 1;
  const decided = () => void (--awaited === 0 && answered());
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
}

const jobsAhead = (deliveries: readonly Delivery[]): readonly Job[] =>
  deliveries.filter(({ isAhead }) => isAhead).map(({ job }) => job);

const NOW = Promise.resolve();
