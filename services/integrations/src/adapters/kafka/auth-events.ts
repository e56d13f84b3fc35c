import { decodeDomainEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type { Revocations } from '@junction/service-kit';
import type pg from 'pg';

export const AUTH_TOPIC = 'auth.events.v1';

/** An access token lives ten minutes; five more for clocks that differ. */
const REVOKED_FOR_MS = 15 * 60_000;

export interface AuthEventsNeeds {
  readonly revocations: Revocations;
  readonly forgetUser: (tx: pg.PoolClient, userId: string, at: Date) => Promise<void>;
  readonly afterCommit: () => void;
}

/** What happens to users and sessions elsewhere. Kinds that do not concern connections pass by. */
export const onAuthEvents =
  (needs: AuthEventsNeeds) =>
  async (records: readonly InboundRecord[], tx: pg.PoolClient): Promise<() => void> => {
    for (const record of records) await onAuthEvent(needs, record, tx);
    return needs.afterCommit;
  };

async function onAuthEvent(
  { revocations, forgetUser }: AuthEventsNeeds,
  record: InboundRecord,
  tx: pg.PoolClient,
): Promise<void> {
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
    await forgetUser(tx, userId, occurredAt ?? record.timestamp);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

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
