/** A record of assistant.events.v1: CloudEvents 1.0 in binary or structured mode. */
export interface AssistantEventRecord {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly key: string | null;
  readonly value: Buffer | null;
  /** Kafka's own, taken when ce_time is absent and this is a moment of 2000 to 2100: many clients write 0 or -1. */
  readonly timestamp: Date;
}

/** An event as its producer gives it; the rest of the envelope follows from that. */
export interface OutgoingAssistantEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly userId: string;
  /** Time of the event; absent: the time at which Kafka takes the record. */
  readonly time?: Date | undefined;
  /** W3C Trace Context of what led to it. */
  readonly traceparent?: string | undefined;
  readonly data: Buffer;
}

/** The record that carries an event: key, CloudEvents headers, value. Checks nothing. */
export const assistantEventRecord = (event: OutgoingAssistantEvent) => ({
  key: event.userId,
  headers: {
    ce_specversion: '1.0',
    ce_id: event.id,
    ce_source: event.source,
    ce_type: event.type,
    ce_subject: event.userId,
    ...(event.time && { ce_time: text(event.time) }),
    ...(event.traceparent !== undefined && { traceparent: event.traceparent }),
    'content-type': 'application/json',
  } as Record<string, string>,
  value: event.data,
});

// A Date that holds no time has no ISO form and would throw here; as an empty text it is refused
// where every other broken field is.
const text = (time: Date): string => (Number.isNaN(time.getTime()) ? '' : time.toISOString());
