import { decodeDomainEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import type { Revocations } from './revocations.js';

export const AUTH_TOPIC = 'auth.events.v1';

/** An access token lives ten minutes; five more for clocks that differ. */
const REVOKED_FOR_MS = 15 * 60_000;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A user who left, and when. */
export interface DeletedUser {
  readonly userId: string;
  readonly at: Date;
}

export interface AuthEventsPorts {
  readonly revocations: Revocations;
  /**
   * Takes away, in the transaction of their records, what this service holds of deleted users: each of them
   * once, all of a batch together. What it gives back is called after the commit.
   */
  readonly usersDeleted: (tx: pg.PoolClient, users: readonly DeletedUser[]) => Promise<() => void>;
}

/**
 * What every service does about auth.events.v1: it learns whose tokens no longer count, and deletes what it
 * holds of users who left. Other kinds pass by. Handling a record again, or after later ones, changes nothing:
 * a revocation ends when the longest one does, and a user who is gone is deleted from nothing.
 */
export const onAuthEvents =
  ({ revocations, usersDeleted }: AuthEventsPorts) =>
  async (
    records: readonly InboundRecord[],
    tx: pg.PoolClient,
  ): Promise<(() => void) | undefined> => {
    const deleted = new Map<string, DeletedUser>();
    for (const record of records) {
      const ended = endedBy(record);
      if (ended === undefined) continue;
      const { id, at, isUser } = ended;
      await revocations.record(tx, id, new Date(at.getTime() + REVOKED_FOR_MS));
      if (isUser) deleted.set(id, { userId: id, at });
    }
    return deleted.size > 0 ? usersDeleted(tx, [...deleted.values()]) : undefined;
  };

interface Ended {
  readonly id: string;
  readonly at: Date;
  readonly isUser: boolean;
}

/** The session or the user that is no more; undefined for records of other kinds. */
function endedBy(record: InboundRecord): Ended | undefined {
  const type = record.headers['ce_type'];
  if (type === 'session.revoked') {
    const { sessionId, occurredAt = record.timestamp } = decoded(type, record);
    if (sessionId === '') throw missing('session_id');
    return { id: sessionId, at: occurredAt, isUser: false };
  }
  if (type === 'user.deleted') {
    const { userId, occurredAt = record.timestamp } = decoded(type, record);
    if (!UUID.test(userId)) throw missing('user_id');
    return { id: userId.toLowerCase(), at: occurredAt, isUser: true };
  }
  return undefined;
}

function decoded<Type extends 'session.revoked' | 'user.deleted'>(
  type: Type,
  { value }: InboundRecord,
) {
  try {
    if (value !== null) return decodeDomainEvent(type, value);
  } catch (cause) {
    throw new RecordError('value_unreadable', `The value is no ${type} message.`, { cause });
  }
  throw new RecordError('value_missing', `The value must be a ${type} message.`);
}

const missing = (field: string): RecordError =>
  new RecordError('field_missing', `The field ${field} is missing, or is no id.`);
