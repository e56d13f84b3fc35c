import { contentMode } from './content-mode.js';
import { type DataSchema, type DataSchemas, faultOf } from './data-schema.js';
import { dataSchemas } from './event-kinds.js';
import { type AssistantEventProblem, broken, DATA_BYTES_MAX } from './event-problem.js';
import type { AssistantEventRecord } from './event-record.js';
import { messageId } from './ids.js';
import { jsonObjectIn } from './json-object.js';
import { parseRfc3339 } from './rfc3339.js';
import { inBinaryMode } from './structured-event.js';

/** An event that keeps every rule of its topic. */
export interface ValidEvent<Kind extends string> {
  /** Id that receivers see as webhook-id. */
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

export type EventVerdict<Kind extends string> =
  | { readonly ok: true; readonly event: ValidEvent<Kind> }
  | ({ readonly ok: false } & AssistantEventProblem);

// U+FFFD is what bytes that are no UTF-8 decode to: two broken ids would look like one.
const PRINTABLE = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\uFFFD]{1,256}$/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FIRST_MOMENT = new Date('2000-01-01T00:00:00Z');
const END_OF_MOMENTS = new Date('2101-01-01T00:00:00Z');

/**
 * Checks a record against every rule of assistant.events.v1 and tells the first that it breaks. `schemas` are those of
 * a catalogue; without them the kinds are the five of the interface.
 */
export const validateAssistantEvent = (
  record: AssistantEventRecord,
  schemas: DataSchemas = dataSchemas,
): EventVerdict<string> => validateEvent(record, schemas);

/** Checks a record against the rules of a topic whose kinds of event have these schemas. */
export function validateEvent<Kind extends string>(
  record: AssistantEventRecord,
  schemas: DataSchemas<Kind>,
): EventVerdict<Kind> {
  const { 'content-type': contentType = record.headers['Content-Type'] } = record.headers;
  const mode = contentMode(contentType);
  if (mode === undefined) return broken('content_type_unsupported');
  if (mode === 'binary') return validateBinary(record, schemas);
  const unfolded = inBinaryMode(record);
  return unfolded.ok ? validateBinary(unfolded.record, schemas) : unfolded;
}

function validateBinary<Kind extends string>(
  { headers, key, value, timestamp }: AssistantEventRecord,
  schemas: DataSchemas<Kind>,
): EventVerdict<Kind> {
  const { ce_id: id = '', ce_source: source = '', ce_type: type = '' } = headers;
  const { ce_subject: subject = '', ce_time: ceTime } = headers;
  const time = ceTime === undefined ? timeOf(timestamp) : parseRfc3339(ceTime);

  if (headers['ce_specversion'] !== '1.0')
    return broken('ce_specversion_unsupported', misspelt(headers, 'ce_specversion'));
  if (!PRINTABLE.test(id)) return broken('ce_id_invalid', misspelt(headers, 'ce_id'));
  if (!PRINTABLE.test(source)) return broken('ce_source_invalid', misspelt(headers, 'ce_source'));
  if (!isKindOf(schemas, type)) {
    const kinds = Object.keys(schemas).join(', ');
    return broken(
      'ce_type_unknown',
      misspelt(headers, 'ce_type') ?? `ce_type must be one of ${kinds}.`,
    );
  }
  if (!UUID.test(subject)) return broken('ce_subject_invalid', misspelt(headers, 'ce_subject'));
  if (key !== null && key !== subject) return broken('key_not_subject');
  if (time === undefined) return broken('ce_time_invalid');

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

/** The record's own time, where it has one; else the time of arrival. */
const timeOf = (timestamp: Date): Date =>
  timestamp >= FIRST_MOMENT && timestamp < END_OF_MOMENTS ? timestamp : new Date();

/** Returns what is wrong when a header is spelt as over HTTP (`ce-id`) or in capitals; otherwise undefined. */
function misspelt(headers: AssistantEventRecord['headers'], name: string): string | undefined {
  if (headers[name] !== undefined) return undefined;
  const found = Object.keys(headers).find((each) => each.toLowerCase().replace('-', '_') === name);
  return (
    found &&
    `The header ${found} must be written ${name}: over Kafka, CloudEvents has no other form.`
  );
}

const isKindOf = <Kind extends string>(schemas: DataSchemas<Kind>, type: string): type is Kind =>
  Object.hasOwn(schemas, type);

function problemOfData(type: string, schema: DataSchema, value: Buffer | null) {
  if (value !== null && value.length > DATA_BYTES_MAX) return broken('data_too_large');
  const data = jsonObjectIn(value);
  if (!data.ok) return data;
  const parsed = schema.safeParse(data.object);
  if (parsed.success) return undefined;
  return broken('data_invalid', `data of ${type}: ${faultOf(parsed.error)}`);
}
