import { decodeDomainEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type { Revocations } from '@junction/service-kit';
import type pg from 'pg';

export const AUTH_TOPIC = 'auth.events.v1';

/** An access token lives ten minutes; five more for clocks that differ. */
const REVOKED_FOR_MS = 15 * 60_000;

export interface AuthEventsNeeds {
  readonly revocations: Revocations;
  /** Takes away what this service holds of the user; gives the webhooks that went. */
  readonly removeUser: (tx: pg.PoolClient, userId: string, at: Date) => Promise<readonly string[]>;
  /** After the commit. */
  readonly removed: (webhookIds: readonly string[]) => void;
}

/** What happens to users and sessions elsewhere. Kinds that do not concern webhooks pass by. */
export const onAuthEvents =
  (needs: AuthEventsNeeds) =>
  async (records: readonly InboundRecord[], tx: pg.PoolClient): Promise<() => void> => {
    const gone: string[] = [];
    for (const record of records) gone.push(...(await onAuthEvent(needs, record, tx)));
    return () => needs.removed(gone);
  };

async function onAuthEvent(
  { revocations, removeUser }: AuthEventsNeeds,
  record: InboundRecord,
  tx: pg.PoolClient,
): Promise<readonly string[]> {
  const type = record.headers['ce_type'];
  if (type === 'session.revoked') {
    const { sessionId, occurredAt } = decoded(type, record);
    await revocations.record(tx, named(sessionId, 'session_id'), until(occurredAt, record));
  }
  if (type === 'user.deleted') {
    const { userId, occurredAt } = decoded(type, record);
    await revocations.record(tx, named(userId, 'user_id'), until(occurredAt, record));
    return removeUser(tx, userId, occurredAt ?? record.timestamp);
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

function named(id: string, field: string): string {
  if (id !== '') return id;
  throw new RecordError('field_missing', `The field ${field} is missing.`);
}

const until = (occurredAt: Date | undefined, { timestamp }: InboundRecord): Date =>
  new Date((occurredAt ?? timestamp).getTime() + REVOKED_FOR_MS);
