import { validateAssistantEvent } from '@junction/contracts';
import {
  type Begin,
  type BegunRecord,
  type Handle,
  type InboundRecord,
  RecordError,
} from '@junction/messaging';
import type { Span } from '@junction/telemetry';
import type pg from 'pg';
import type { BegunEvent, Intake } from '../../application/intake.js';
import type { TakenEvent } from '../../application/judge-event.js';
import type { IncomingEvent, IntakeReads, IntakeRows } from '../../application/ports.js';
import { received, traceOf } from './received.js';

/** Written by any Kafka client, so nothing in it is believed unchecked. */
export const ASSISTANT_TOPIC = 'assistant.events.v1';

export interface IntakeAdapters {
  readonly intake: Intake;
  readonly reads: IntakeReads;
  readonly readsWithin: (tx: pg.PoolClient) => IntakeReads;
  readonly rows: (tx: pg.PoolClient) => IntakeRows;
}

/** A record is begun with, then handled; one that comes back as a dead letter is handled alone. */
export interface EventsConsumer {
  readonly begin: Begin;
  readonly handle: Handle;
}

/** Time and trace of a record's arrival. The record's own timestamp is what its producer wrote, or any number. */
export type Came = Pick<IncomingEvent, 'at' | 'traceparent'>;

type Check = (record: InboundRecord, came: Came) => IncomingEvent | RecordError;

/**
 * Sends and files the events of records. A record that breaks a rule of the topic becomes a dead letter, and so does a
 * record at which anything fails; the records beside it are handled.
 */
export const onEvents =
  (topic: string, check: Check) =>
  ({ intake, reads, readsWithin, rows }: IntakeAdapters): EventsConsumer => {
    const checked = (record: InboundRecord): IncomingEvent | RecordError =>
      orNotTaken(() => check(record, { at: new Date(), traceparent: traceOf(record) }));
    return {
      async begin(records) {
        const spans: Span[] = [];
        const events = records.map((record) => {
          const event = checked(record);
          if (event instanceof RecordError) return event;
          return orNotTaken(() => received(topic, event, spans));
        });
        const begun = await intake.begin(reads, events.filter(isEvent)).finally(() => {
          for (const span of spans) span.end();
        });
        let at = 0;
        return records.map((record, index): BegunEvents => {
          const event = events[index];
          if (event instanceof RecordError) return Object.assign(record, { event, ready: NOW });
          const of = begun[at++];
          if (of === undefined) throw new Error('An event was not begun with.');
          return begunRecord(intake, record, of);
        });
      },

      async handle(records: readonly (InboundRecord | BegunEvents)[], tx, setAside) {
        const taken: TakenEvent[] = [];
        const others = new Map<IncomingEvent, InboundRecord>();
        const add = (record: InboundRecord, event: TakenEvent): void => {
          if (event.failure) setAside(record, notTaken(event.failure.cause));
          else taken.push(event);
        };
        for (const record of records) {
          const event = 'event' in record ? record.event : checked(record);
          if (event instanceof RecordError) setAside(record, event);
          else if ('deliveries' in event) add(record, event);
          else others.set(event, record);
        }
        const late = others.size > 0 ? await intake.take(readsWithin(tx), [...others.keys()]) : [];
        for (const event of late) {
          const record = others.get(event.event);
          if (record) add(record, event);
        }
        return taken.length > 0 ? intake.file(rows(tx), taken) : undefined;
      },
    };
  };

const begunRecord = (
  intake: Intake,
  record: InboundRecord,
  { taken, ready }: BegunEvent,
): BegunEvents =>
  Object.assign(record, {
    event: taken,
    ready,
    traceparent: taken.event.traceparent,
    abandon: () => intake.giveUp(taken),
  });

function orNotTaken(event: () => IncomingEvent | RecordError): IncomingEvent | RecordError {
  try {
    return event();
  } catch (cause) {
    return notTaken(cause);
  }
}

/** An error may quote the record, so its name alone is told. */
const notTaken = (cause: unknown): RecordError =>
  new RecordError(
    'handler_failed',
    `Taking the event in failed with ${cause instanceof Error ? cause.name : 'a value that is no Error'}.`,
    { cause },
  );

/** A record with what follows from it, or why nothing does. */
interface BegunEvents extends BegunRecord {
  readonly event: TakenEvent | RecordError;
}

const NOW = Promise.resolve();

const isEvent = (event: IncomingEvent | RecordError): event is IncomingEvent =>
  !(event instanceof RecordError);

export const onAssistantEvents = onEvents(ASSISTANT_TOPIC, (record, came) => {
  const verdict = validateAssistantEvent(record);
  if (!verdict.ok) return new RecordError(verdict.code, verdict.reason);
  const { messageId, source, id, userId, type: kind, time, data } = verdict.event;
  return { messageId, source, id, userId, kind, time, data, ...came };
});
