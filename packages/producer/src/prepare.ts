import { randomUUID } from 'node:crypto';
import {
  assistantEventRecord,
  type OutgoingAssistantEvent,
  validateAssistantEvent,
} from '@junction/contracts';
import type { NewEvent } from './event-producer.js';

/** The event breaks a rule of the topic; it was not sent, and sending it again will not help. */
export class InvalidEventError extends Error {
  constructor(
    /** Stable: the code of the rule, as in the dead letters. */
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

/** Fills in what the producer left out, and checks the record it would become as the consumer will. */
export function prepare(source: string, event: NewEvent): PreparedEvent {
  const { id = randomUUID(), type, userId, time } = event;
  const outgoing = { id, source, type, userId, time, data: bytesOf(event.data) };

  const verdict = validateAssistantEvent({
    ...assistantEventRecord(outgoing),
    timestamp: new Date(),
  });
  if (!verdict.ok) throw new InvalidEventError(verdict.code, verdict.reason);
  return { ...outgoing, messageId: verdict.event.messageId };
}

const bytesOf = (data: object | Uint8Array): Buffer =>
  data instanceof Uint8Array
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(JSON.stringify(data));
