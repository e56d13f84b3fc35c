import { contentMode } from './content-mode.js';
import { type AssistantEventProblem, broken } from './event-problem.js';
import type { AssistantEventRecord } from './event-record.js';
import { memberBytes } from './json-member.js';
import { jsonObjectIn } from './json-object.js';

/** The members that hold what a record in binary mode has in these headers. */
const HEADERS = {
  specversion: 'ce_specversion',
  id: 'ce_id',
  source: 'ce_source',
  type: 'ce_type',
  subject: 'ce_subject',
  time: 'ce_time',
} as const;

type Unfolded =
  | { readonly ok: true; readonly record: AssistantEventRecord }
  | ({ readonly ok: false } & AssistantEventProblem);

/**
 * A record in structured mode (CloudEvents, JSON format) as it would be in binary mode. Its value are the bytes of
 * `data` as they stand in the record. Headers beside it say nothing.
 */
export function inBinaryMode(record: AssistantEventRecord): Unfolded {
  const { value } = record;
  const event = jsonObjectIn(value);
  if (!event.ok) return event;
  const { datacontenttype: dataType } = event.object;
  if (contentMode(textOf(dataType)) !== 'binary') {
    return broken('content_type_unsupported', NOT_JSON);
  }
  const data = value && memberBytes(value, 'data');
  if (!data) return broken('data_missing', NO_DATA);
  const headers: Record<string, string> = {};
  for (const [member, header] of Object.entries(HEADERS)) {
    const text = textOf(event.object[member]);
    if (text !== undefined) headers[header] = text;
  }
  return { ok: true, record: { ...record, headers, value: data } };
}

/** null is as good as absent. What is no text breaks the rule of its header, as an empty one does. */
function textOf(attribute: unknown): string | undefined {
  if (attribute === undefined || attribute === null) return undefined;
  return typeof attribute === 'string' ? attribute : '';
}

const NOT_JSON = 'datacontenttype must be application/json, in UTF-8, or absent.';
const NO_DATA =
  'A CloudEvent in structured mode must have its JSON object in data; data_base64 is not read.';
