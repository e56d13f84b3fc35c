import { randomUUID } from 'node:crypto';
import {
  assistantEventRecord,
  type DataSchemas,
  type OutgoingAssistantEvent,
  validateAssistantEvent,
} from '@junction/contracts';

/** The event breaks a rule of the topic; it was not published, and sending it again will not help. */
export class InvalidEventError extends Error {
  constructor(
    /** Stable: the code of the rule, as in the dead letters; `refused_by_service` when it is not known here. */
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

export interface PreparedEvent extends OutgoingAssistantEvent {
  readonly messageId: string;
}

/** A NewEvent whose type and data nobody has checked. */
interface UncheckedEvent {
  readonly id?: string;
  readonly type: string;
  readonly userId: string;
  readonly data: unknown;
  readonly time?: Date;
  readonly traceparent?: string;
}

/**
 * Fills in what the producer left out, and checks the record it would become as the consumer will. Without `schemas`
 * the kinds are the five.
 */
export function prepare(
  source: string,
  event: UncheckedEvent,
  schemas?: DataSchemas,
): PreparedEvent {
  const { id = randomUUID(), type, userId, time, traceparent } = event;
  const outgoing = { id, source, type, userId, time, traceparent, data: bytesOf(event.data) };

  const record = { ...assistantEventRecord(outgoing), timestamp: new Date() };
  const verdict = validateAssistantEvent(record, schemas);
  if (!verdict.ok) throw new InvalidEventError(verdict.code, inOwnNames(verdict.reason));
  return { ...outgoing, messageId: verdict.event.messageId };
}

/** Returns a rule of the topic in the names of a NewEvent instead of those of the record. */
export const inOwnNames = (rule: string): string =>
  rule
    .replace('ce_subject must be the user_id:', 'userId must be')
    .replaceAll(/\bce_(?=id|source|type|time)/g, '');

const bytesOf = (data: unknown): Buffer =>
  data instanceof Uint8Array
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(JSON.stringify(data));
