import type { z } from 'zod';
import { dataSchemas, type EventKind } from './event-kinds.js';
import { messageId } from './ids.js';
import { parseRfc3339 } from './rfc3339.js';

/** The most bytes `data` may have: 256 KiB. */
export const DATA_BYTES_MAX = 256 * 1024;

/** A record of assistant.events.v1: CloudEvents 1.0 in binary mode. */
export interface AssistantEventRecord {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly key: string | null;
  readonly value: Buffer | null;
  /** Kafka's own, taken when ce_time is absent. */
  readonly timestamp: Date;
}

/** An event that keeps every rule of its topic. */
export interface ValidEvent<Kind extends string> {
  /** What receivers see as webhook-id. */
  readonly messageId: string;
  readonly id: string;
  readonly source: string;
  readonly type: Kind;
  /** A UUID in lower case. */
  readonly userId: string;
  readonly time: Date;
  /** The bytes as they came: receivers get exactly these. */
  readonly data: Buffer;
}

export type AssistantEvent = ValidEvent<EventKind>;

/** Which rule a record breaks. The reason names the field and the rule, never what the record held. */
export interface AssistantEventProblem {
  /** Stable; the reason code of the dead letter. */
  readonly code: keyof typeof REASONS;
  readonly reason: string;
}

export type EventVerdict<Kind extends string> =
  | { readonly ok: true; readonly event: ValidEvent<Kind> }
  | ({ readonly ok: false } & AssistantEventProblem);

export type AssistantEventVerdict = EventVerdict<EventKind>;

/** What a producer says; the rest of the envelope follows from it. */
export interface OutgoingAssistantEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly userId: string;
  /** Absent: the time at which Kafka takes the record. */
  readonly time?: Date | undefined;
  /** W3C Trace Context of what led to it. */
  readonly traceparent?: string | undefined;
  readonly data: Buffer;
}

// U+FFFD is what bytes that are no UTF-8 decode to: two broken ids would look like one.
const PRINTABLE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\uFFFD]{1,256}$/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

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

/** Checks a record against every rule of assistant.events.v1 and tells the first that it breaks. */
export const validateAssistantEvent = (record: AssistantEventRecord): AssistantEventVerdict =>
  validateEvent(record, dataSchemas);

/** The same for a topic whose kinds of event have these schemas. */
export function validateEvent<Kind extends string>(
  record: AssistantEventRecord,
  schemas: Readonly<Record<Kind, z.ZodType>>,
): EventVerdict<Kind> {
  const { headers, key, value, timestamp } = record;
  const { ce_id: id = '', ce_source: source = '', ce_type: type = '' } = headers;
  const { ce_subject: subject = '', ce_time: ceTime } = headers;
  const time = ceTime === undefined ? timestamp : parseRfc3339(ceTime);

  if (headers['ce_specversion'] !== '1.0') return broken('ce_specversion_unsupported');
  if (!PRINTABLE.test(id)) return broken('ce_id_invalid');
  if (!PRINTABLE.test(source)) return broken('ce_source_invalid');
  if (!isKindOf(schemas, type)) {
    return broken('ce_type_unknown', `ce_type must be one of ${Object.keys(schemas).join(', ')}.`);
  }
  if (!UUID.test(subject)) return broken('ce_subject_invalid');
  if (key !== null && key !== subject) return broken('key_not_subject');
  if (time === undefined) return broken('ce_time_invalid');
  if (!JSON_TYPE.test(headers['content-type'] ?? 'application/json')) {
    return broken('content_type_unsupported');
  }

  const problem = problemOfData(type, schemas[type], value);
  if (problem !== undefined || value === null) return problem ?? broken('data_missing');
  const userId = subject.toLowerCase();
  const event = {
    messageId: messageId(source, id, userId),
    id,
    source,
    type,
    userId,
    time,
    data: value,
  };
  return { ok: true, event };
}

const isKindOf = <Kind extends string>(
  schemas: Readonly<Record<Kind, z.ZodType>>,
  type: string,
): type is Kind => Object.hasOwn(schemas, type);

function problemOfData(type: string, schema: z.ZodType, value: Buffer | null) {
  if (value === null || value.length === 0) return broken('data_missing');
  if (value.length > DATA_BYTES_MAX) return broken('data_too_large');
  if (value.subarray(0, BOM.length).equals(BOM)) return broken('data_has_bom');

  let json: string;
  try {
    json = utf8.decode(value);
  } catch {
    return broken('data_not_utf8');
  }

  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch {
    return broken('data_not_json');
  }

  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return broken('data_not_object');
  }
  const parsed = schema.safeParse(data);
  return parsed.success ? undefined : broken('data_invalid', explain(type, parsed.error));
}

// Zod's own words may quote what it found, and a reason never holds what the record held.
const explain = (type: string, { issues }: z.ZodError): string =>
  `data of ${type}: ${issues.map(({ path }) => path.join('.')).join(', ')} must be there; counts are non-negative integers.`;

const REASONS = {
  ce_specversion_unsupported: 'ce_specversion must be 1.0.',
  ce_id_invalid: 'ce_id must be 1 to 256 printable characters.',
  ce_source_invalid: 'ce_source must be 1 to 256 printable characters.',
  ce_type_unknown: 'ce_type must be a kind of this topic.',
  ce_subject_invalid: 'ce_subject must be the user_id: a UUID.',
  key_not_subject: 'The key of the record must be absent or equal to ce_subject.',
  ce_time_invalid: 'ce_time must be an RFC 3339 date-time, or absent.',
  content_type_unsupported: 'content-type must be application/json in UTF-8, or absent.',
  data_missing: 'The record has no value; it must be the JSON of data.',
  data_too_large: `data must be at most ${DATA_BYTES_MAX} bytes.`,
  data_has_bom: 'data must not begin with a byte order mark.',
  data_not_utf8: 'data must be valid UTF-8.',
  data_not_json: 'data must be valid JSON.',
  data_not_object: 'data must be a JSON object.',
  data_invalid: 'data lacks a required field.',
} as const;

const broken = (code: keyof typeof REASONS, reason: string = REASONS[code]) =>
  ({ ok: false, code, reason }) as const;
