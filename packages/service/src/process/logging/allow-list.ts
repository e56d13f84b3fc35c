import { describeError } from './describe-error.js';

/**
 * Fields that a log line may carry. Everything else is dropped, so a forgotten field is safe and adding one is a
 * choice.
 */
const FIELDS = `
  name component service method route rpc status code kind reason type result
  request_id trace_id span_id user_id session_id client_id key_id connection_id webhook_id
  delivery_id message_id event_id stream_id command_id operation_id dead_letter_id
  duration_ms delay_ms lag_ms deadline_ms retry_after_s attempt attempts round count size bytes total limit
  topic partition offset group principal resource operation consumer lane lanes projection owner epoch shard version schema_version position sequence
  provider event_type host port pid signal exit_code migration migrations table check checks failing
  from until at next_at server suppressed commit setting before after
`
  .trim()
  .split(/\s+/);

const STRING_MAX = 500;
const ITEMS_MAX = 20;

/** Makes `durationMs` and `duration_ms` the same field. */
const canonical = (field: string): string => field.replaceAll('_', '').toLowerCase();

/** Keeps the listed fields that hold plain values, and errors under `err`. `extra` adds to the list. */
export function allowList(extra: readonly string[] = []) {
  const allowed = new Set([...FIELDS, ...extra].map(canonical));

  return (fields: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const kept: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(fields)) {
      if (field === 'err' || field === 'error') kept['err'] = describeError(value);
      else if (allowed.has(canonical(field)) && isPlain(value)) kept[field] = clip(value);
    }
    return kept;
  };
}

type Scalar = string | number | boolean | bigint | null;
type Plain = Scalar | Date | readonly Scalar[];

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean', 'bigint'].includes(typeof value);

const isPlain = (value: unknown): value is Plain =>
  isScalar(value) || value instanceof Date || (Array.isArray(value) && value.every(isScalar));

function clip(value: Plain): unknown {
  if (typeof value === 'string') return clipText(value);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date || typeof value !== 'object' || value === null) return value;
  return value.slice(0, ITEMS_MAX).map(clip);
}

const clipText = (text: string): string =>
  text.length > STRING_MAX ? `${text.slice(0, STRING_MAX)}…` : text;
