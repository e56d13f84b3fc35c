import {
  type AssistantEventProblem,
  assistantEventRecord,
  type DataSchemas,
  type PublishRequest,
  validateAssistantEvent,
} from '@junction/contracts';

/** The record that an event becomes; or the rule it breaks, with the field of the request. */
export type CheckedEvent =
  | {
      readonly ok: true;
      readonly record: ReturnType<typeof assistantEventRecord>;
      readonly messageId: string;
    }
  | BrokenRule;

export interface BrokenRule extends AssistantEventProblem {
  readonly ok: false;
  /** Field of the request that breaks the rule. */
  readonly field: string;
}

/** The fields under the names that the rules of the topic have for them. Any other rule is of the data. */
const FIELDS: Readonly<Record<string, string>> = {
  ce_id_invalid: 'id',
  ce_source_invalid: 'source',
  ce_type_unknown: 'type',
  ce_subject_invalid: 'user_id',
  ce_time_invalid: 'time',
};

/** Holds an event to the same rules as a record that comes over Kafka, before it gets there. */
export function checkedEvent(request: PublishRequest, schemas: DataSchemas): CheckedEvent {
  const { id, source, type, userId, time, dataJson: data } = request;
  const record = assistantEventRecord({ id, source, type, userId, time, data });
  const verdict = validateAssistantEvent({ ...record, timestamp: time ?? new Date(0) }, schemas);
  if (verdict.ok) return { ok: true, record, messageId: verdict.event.messageId };
  const { code } = verdict;
  const reason = code === 'ce_time_invalid' ? NO_TIMESTAMP : verdict.reason;
  return { ok: false, field: FIELDS[code] ?? 'data_json', code, reason };
}

const NO_TIMESTAMP =
  'time must be of the years 1 to 9999, with nanos from 0 to 999999999, or absent.';
