import { decodeDomainEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import type { Revocations } from '../postgres/revocations.js';

export const AUTH_TOPIC = 'auth.events.v1';

/** An access token lives ten minutes; five more for clocks that differ. */
const REVOKED_FOR_MS = 15 * 60_000;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface AuthEventsNeeds {
  readonly revocations: Revocations;
  /**
   * Takes away, in the record's transaction, what this service holds of a deleted user. What it
   * gives back is called after the commit.
   */
  readonly userDeleted: (tx: pg.PoolClient, userId: string, at: Date) => Promise<() => void>;
}

/**
 * What every service does about auth.events.v1: it learns whose tokens no longer count, and forgets
 * users who left. Other kinds pass by. The handler of an ordered consumer.
 */
export const onAuthEvents =
  (needs: AuthEventsNeeds) =>
  async (records: readonly InboundRecord[], tx: pg.PoolClient): Promise<() => void> => {
    const afterwards: (() => void)[] = [];
    for (const record of records) afterwards.push(...(await onAuthEvent(needs, record, tx)));
    return () => {
      for (const act of afterwards) act();
    };
  };

async function onAuthEvent(
  { revocations, userDeleted }: AuthEventsNeeds,
  record: InboundRecord,
  tx: pg.PoolClient,
): Promise<readonly (() => void)[]> {
  const type = record.headers['ce_type'];
  if (type === 'session.revoked') {
    const { sessionId, occurredAt } = decoded(type, record);
    if (sessionId === '') throw missing('session_id');
    await revocations.record(tx, sessionId, until(occurredAt, record));
  }
  if (type === 'user.deleted') {
    const { userId, occurredAt } = decoded(type, record);
    if (!UUID.test(userId)) throw missing('user_id');
    await revocations.record(tx, userId, until(occurredAt, record));
    return [await userDeleted(tx, userId, occurredAt ?? record.timestamp)];
  }
  return [];
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

const until = (occurredAt: Date | undefined, { timestamp }: InboundRecord): Date =>
  new Date((occurredAt ?? timestamp).getTime() + REVOKED_FOR_MS);
