import { type EventCatalogue, validateAssistantEvent } from '@junction/contracts';
import {
  type Handle,
  type HandleAtOnce,
  type InboundRecord,
  type OffsetMoves,
  type Prepare,
  type PreparedRecord,
  RecordError,
} from '@junction/messaging';
import {
  checkedTraceparent,
  type Span,
  SpanKind,
  startSpan,
  traceparentOf,
} from '@junction/telemetry';
import type pg from 'pg';
import {
  type Checked,
  type Claimed,
  type Intake,
  type Invalid,
  orNotTaken,
  type Prepared,
} from '../../application/intake/intake.js';
import type {
  IncomingEvent,
  IntakeReads,
  IntakeRows,
  TakenEvent,
} from '../../application/intake/ports.js';

/** Written by any Kafka client, so nothing in it is believed unchecked. */
export const ASSISTANT_TOPIC = 'assistant.events.v1';

export interface IntakeAdapters {
  readonly intake: Intake;
  readonly reads: IntakeReads;
  readonly readsWithin: (tx: pg.PoolClient) => IntakeReads;
  readonly rows: (tx: pg.PoolClient) => IntakeRows;
  /** Files events and moves offsets, all or none. Undefined: not at this time. */
  readonly recordAtOnce: (db: pg.Pool, moves: OffsetMoves) => IntakeRows['record'] | undefined;
}

/** Consumer of events. Records are prepared, then handled; a dead letter that is redriven is handled alone. */
export interface EventsConsumer {
  readonly prepare: Prepare;
  readonly handle: Handle;
  readonly handleAtOnce: HandleAtOnce;
}

/** Time and trace of a record's arrival. The record's own timestamp is what its producer wrote, or any number. */
export type Arrival = Pick<IncomingEvent, 'at' | 'traceparent'>;

type Check = (record: InboundRecord, arrival: Arrival) => Checked;

/** A record to handle. Absent `prepared`: the record is a dead letter that is redriven. */
interface HandledRecord extends InboundRecord {
  readonly prepared?: Claimed | Invalid;
}

/**
 * Sends and files the events of records. A record that breaks a rule of the topic becomes a dead letter, and so does a
 * record at which anything fails; the records beside it are handled.
 */
export const onEvents =
  (topic: string, check: Check) =>
  ({ intake, reads, readsWithin, rows, recordAtOnce }: IntakeAdapters): EventsConsumer => {
    const checked = (record: InboundRecord): Checked =>
      orNotTaken(() => check(record, { at: new Date(), traceparent: traceOf(record) }));
    return {
      async prepare(records) {
        const spans: Span[] = [];
        const received = records.map((record) => receivedIn(topic, checked(record), spans));
        const prepared = await intake.prepare(reads, received).finally(() => {
          for (const span of spans) span.end();
        });
        return answered(records, prepared).map((each) => preparedRecord(intake, each));
      },

      async handle(records: readonly HandledRecord[], tx, setAside) {
        const known = records.map((record) => outcomeOf(record) ?? checked(record));
        const prepared = await intake.take(readsWithin(tx), known);
        const events: TakenEvent[] = [];
        for (const { record, answer } of answered(records, prepared)) {
          if (answer.kind === 'invalid') setAside(record, answer.error);
          else events.push(answer.event);
        }
        return events.length > 0 ? intake.file(rows(tx), events) : undefined;
      },

      handleAtOnce(records: readonly HandledRecord[], db, moves) {
        const events: TakenEvent[] = [];
        for (const outcome of records.map(outcomeOf)) {
          if (outcome?.kind !== 'taken') return undefined;
          events.push(outcome.event);
        }
        const record = recordAtOnce(db, moves);
        return record && intake.fileAtOnce(record, events);
      },
    };
  };

interface Answered<T> {
  readonly record: InboundRecord;
  readonly answer: T;
}

/** Joins each record with the answer of the intake about it. */
const answered = <T>(
  records: readonly InboundRecord[],
  answers: readonly T[],
): readonly Answered<T>[] =>
  records.map((record, index) => {
    const answer = answers[index];
    if (answer === undefined) throw new Error('The intake left a record out.');
    return { record, answer };
  });

function outcomeOf({ prepared }: HandledRecord): Prepared | undefined {
  if (prepared?.kind !== 'claimed') return prepared;
  // Looked up anew, an event that is under way would be taken for a repeat, and lost.
  if (!prepared.outcome) throw new Error('A record is handled before it is ready.');
  return prepared.outcome;
}

function preparedRecord(
  intake: Intake,
  { record, answer }: Answered<Claimed | Invalid>,
): PreparedRecord & HandledRecord {
  const { topic, partition, offset, key, headers, value, timestamp } = record;
  const claimed = answer.kind === 'claimed' ? answer : undefined;
  // Named one by one: a spread of a record took longer than the check of its rules.
  return {
    topic,
    partition,
    offset,
    key,
    headers,
    value,
    timestamp,
    prepared: answer,
    ready: claimed?.ready ?? NOW,
    traceparent: claimed?.event.traceparent,
    hasBegun: claimed && (() => claimed.outcome !== undefined),
    abandon: claimed && (() => intake.giveUp(claimed)),
  };
}

const NOW = Promise.resolve();

/**
 * Returns the trace of a record: as its producer's instrumentation writes it, or as the extension of CloudEvents does
 * (https://github.com/cloudevents/spec/blob/main/cloudevents/extensions/distributed-tracing.md).
 */
const traceOf = ({ headers }: InboundRecord): string | undefined =>
  checkedTraceparent(headers['traceparent']) ?? checkedTraceparent(headers['ce_traceparent']);

/**
 * Returns the event in a span of its own, if the span is recorded. The span is added to `spans`, for the caller to end.
 */
function receivedIn(topic: string, checked: Checked, spans: Span[]): Checked {
  if (checked.kind === 'invalid') return checked;
  const { event } = checked;
  return orNotTaken(() => {
    const span = startSpan(`receive ${topic}`, SpanKind.CONSUMER, event.traceparent);
    if (!span.isRecording()) return checked;
    spans.push(span);
    span.setAttributes({
      'messaging.system': 'kafka',
      'messaging.operation.name': 'receive',
      'messaging.destination.name': topic,
      'junction.message.id': event.messageId,
    });
    return { kind: 'valid', event: { ...event, traceparent: traceparentOf(span) } };
  });
}

/** Returns the consumer of what producers write, by the kinds of this catalogue. */
export const onAssistantEvents = ({ schemas, isOptIn }: EventCatalogue) =>
  onEvents(ASSISTANT_TOPIC, (record, { at, traceparent }) => {
    const verdict = validateAssistantEvent(record, schemas);
    if (!verdict.ok) return invalid(verdict);
    const { messageId, source, id, userId, type: kind, time, data } = verdict.event;
    const event = {
      messageId,
      source,
      id,
      userId,
      kind,
      isOptIn: isOptIn(kind),
      time,
      data,
      at,
      traceparent,
    };
    return { kind: 'valid', event };
  });

/** Returns why a record breaks the rules of its topic. */
export const invalid = ({
  code,
  reason,
}: {
  readonly code: string;
  readonly reason: string;
}): Checked => ({
  kind: 'invalid',
  error: new RecordError(code, reason),
});
