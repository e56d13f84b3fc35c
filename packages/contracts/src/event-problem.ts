/** The most bytes `data` may have: 256 KiB. */
export const DATA_BYTES_MAX = 256 * 1024;

/** Rule that a record breaks. The reason names the field and the rule, never the contents of the record. */
export interface AssistantEventProblem {
  /** Stable; the reason code of the dead letter. */
  readonly code: keyof typeof REASONS;
  readonly reason: string;
}

const REASONS = {
  ce_specversion_unsupported: 'ce_specversion must be 1.0.',
  ce_id_invalid: 'ce_id must be 1 to 256 printable characters.',
  ce_source_invalid: 'ce_source must be 1 to 256 printable characters.',
  ce_type_unknown: 'ce_type must be a kind of this topic.',
  ce_subject_invalid: 'ce_subject must be the user_id: a UUID.',
  key_not_subject: 'The key of the record must be absent or equal to ce_subject.',
  ce_time_invalid: 'ce_time must be an RFC 3339 date-time, or absent.',
  content_type_unsupported:
    'content-type must be application/json, application/cloudevents+json or another that ends in +json, in UTF-8, or absent. Batches of CloudEvents are not taken.',
  data_missing: 'The record has no value; it must be the JSON of data.',
  data_too_large: `data must be at most ${DATA_BYTES_MAX} bytes.`,
  data_has_bom: 'data must not begin with a byte order mark.',
  data_not_utf8: 'data must be valid UTF-8.',
  data_not_json: 'data must be valid JSON.',
  data_not_object: 'data must be a JSON object.',
  data_invalid: 'data lacks a required field.',
} as const;

/** The problem of a record that breaks this rule, in the words of the rule or in others. */
export const broken = (code: keyof typeof REASONS, reason: string = REASONS[code]) =>
  ({ ok: false, code, reason }) as const;
