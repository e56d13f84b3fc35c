import { type EventVerdict, validateEvent } from './assistant-event.js';
import type { AssistantEventProblem } from './event-problem.js';
import type { AssistantEventRecord } from './event-record.js';
import { type NoticeData, type NoticeKind, noticeSchemas } from './notice-kinds.js';

/** Our own notices about a user, in the envelope of assistant.events.v1. */
export const USER_TOPIC = 'user.events.v1';

/**
 * Header with the host of the webhook that a notice is about, for our own services: what receivers get has no host,
 * because the other webhooks of a user need not know of it.
 */
export const HOST_HEADER = 'ce_webhookhost';

/** Prefix of the ce_source of all our services. */
const OURS = 'junction/';

/** A notice that one of our services writes through its outbox. */
export interface Notice<Kind extends NoticeKind> {
  readonly kind: Kind;
  readonly userId: string;
  readonly data: NoticeData<Kind>;
}

/** The record of a notice: its topic, key, type and value. */
export const noticeRecord = <Kind extends NoticeKind>({ kind, userId, data }: Notice<Kind>) => ({
  topic: USER_TOPIC,
  key: userId,
  type: kind,
  subject: userId,
  payload: Buffer.from(JSON.stringify(data)),
});

/** Checks a record against every rule of user.events.v1 and tells the first that it breaks. */
export function validateUserEvent(record: AssistantEventRecord): EventVerdict<NoticeKind> {
  if (record.headers['ce_source']?.startsWith(OURS) !== true) return notOurs;
  return validateEvent(record, noticeSchemas);
}

const notOurs = {
  ok: false,
  code: 'ce_source_invalid',
  reason: `ce_source must begin with ${OURS}: only our own services write notices.`,
} as const satisfies { readonly ok: false } & AssistantEventProblem;
