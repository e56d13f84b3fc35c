import { type DomainEventType, decodeDomainEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import { secretIdOf } from './key-caller.js';
import type { Revocations } from './revocations.js';

export const AUTH_TOPIC = 'auth.events.v1';

/** Milliseconds for which a revocation counts: the ten minutes of an access token, and five for clocks that differ. */
export const REVOKED_FOR_MS = 15 * 60_000;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A user who left, and when. */
export interface DeletedUser {
  readonly userId: string;
  readonly at: Date;
  /** False: the account is closed and can come back, so what acts for the user ends, and the data stay. */
  readonly isFinal: boolean;
}

export interface AuthEventsPorts {
  readonly revocations: Revocations;
  /**
   * Deletes what this service holds of deleted users, or ends what acts for those whose account is closed, in the
   * transaction of their records: each user once, all of a batch together. The returned function is called after the
   * commit.
   */
  readonly usersDeleted: (tx: pg.PoolClient, users: readonly DeletedUser[]) => Promise<() => void>;
}

/**
 * Handles auth.events.v1 as every service does: stores which tokens no longer count, deletes what the service holds of
 * users who left, and ignores other kinds. Records must come once, and in order: user.closed after user.reopened would
 * end what the user has made since.
 */
export const onAuthEvents =
  ({ revocations, usersDeleted }: AuthEventsPorts) =>
  async (
    records: readonly InboundRecord[],
    tx: pg.PoolClient,
  ): Promise<(() => void) | undefined> => {
    const deleted = new Map<string, DeletedUser>();
    for (const record of records) {
      const { ids, at, deletedUser, reopenedUserId } = endedBy(record);
      for (const id of ids)
        await revocations.record(tx, id, new Date(at.getTime() + REVOKED_FOR_MS));
      if (reopenedUserId !== undefined) await revocations.end(tx, reopenedUserId);
      if (deletedUser) deleted.set(deletedUser.userId, deletedUser);
    }
    return deleted.size > 0 ? usersDeleted(tx, [...deleted.values()]) : undefined;
  };

interface Ended {
  /** Ids of sessions, users, portals, API keys and their secrets that are no more. */
  readonly ids: readonly string[];
  readonly at: Date;
  readonly deletedUser?: DeletedUser;
  readonly reopenedUserId?: string;
}

function endedBy(record: InboundRecord): Ended {
  const type = record.headers['ce_type'];
  const { timestamp } = record;
  switch (type) {
    case 'session.revoked': {
      const { sessionId, occurredAt: at = timestamp } = decoded(type, record);
      if (sessionId === '') throw missing('session_id');
      return { ids: [sessionId], at };
    }
    case 'user.recovered': {
      const { portalIds, occurredAt: at = timestamp } = decoded(type, record);
      return { ids: portalIds, at };
    }
    case 'api_key.revoked': {
      const { keyId, occurredAt: at = timestamp } = decoded(type, record);
      if (keyId === '') throw missing('key_id');
      return { ids: [keyId], at };
    }
    case 'api_key.rotated': {
      const { keyId, endedSecretVersions, occurredAt: at = timestamp } = decoded(type, record);
      if (keyId === '') throw missing('key_id');
      return { ids: endedSecretVersions.map((version) => secretIdOf(keyId, version)), at };
    }
    case 'user.closed':
    case 'user.reopened':
    case 'user.deleted': {
      const { userId: named, occurredAt: at = timestamp } = decoded(type, record);
      if (!UUID.test(named)) throw missing('user_id');
      const userId = named.toLowerCase();
      if (type === 'user.reopened') return { ids: [], at, reopenedUserId: userId };
      return { ids: [userId], at, deletedUser: { userId, at, isFinal: type === 'user.deleted' } };
    }
    case undefined:
    default:
      return { ids: [], at: timestamp };
  }
}

function decoded<Type extends DomainEventType>(type: Type, { value }: InboundRecord) {
  try {
    if (value !== null) return decodeDomainEvent(type, value);
  } catch (cause) {
    throw new RecordError('value_unreadable', `The value is no ${type} message.`, { cause });
  }
  throw new RecordError('value_missing', `The value must be a ${type} message.`);
}

const missing = (field: string): RecordError =>
  new RecordError('field_missing', `The field ${field} is missing, or is no id.`);
