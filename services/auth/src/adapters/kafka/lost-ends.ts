import { decodeDomainEvent } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { findEvent } from '@junction/eventsourcing/postgres';
import type { InboundRecord } from '@junction/messaging';
import type pg from 'pg';
import type { Application } from '../../application/application.js';
import { streamOf } from '../../application/streams.js';

type Ends = Pick<
  Application,
  'endSessions' | 'revokeApiKey' | 'closeUser' | 'reopenUser' | 'deleteUser'
>;

interface End {
  readonly streamId: string;
  again(app: Ends): Promise<unknown>;
}

/**
 * Ends again what this service has said is over and its database does not know of, because it was restored from
 * before that. A key that got a new secret since ends too: the database has the old ones alone. An account that was
 * brought back is opened again, which must not end with what was closed. What is stored passes by, and again nothing is
 * done.
 */
export const onOwnEvents =
  (app: Ends) =>
  async (records: readonly InboundRecord[], tx: pg.PoolClient): Promise<undefined> => {
    for (const record of records) {
      const end = endIn(record);
      if (end === undefined) continue;
      const stored = await findEvent(tx, record.headers['ce_id'] ?? '', end.streamId);
      if (stored === undefined) await end.again(app);
    }
  };

function endIn({ headers, value }: InboundRecord): End | undefined {
  const type = headers['ce_type'];
  const data = value ?? Buffer.from('{}');
  switch (type) {
    case 'session.revoked': {
      const { sessionId } = decodeDomainEvent(type, data);
      return {
        streamId: streamOf.session(sessionId),
        again: async (app) => app.endSessions({ sessionIds: [sessionId], refreshTokens: [] }),
      };
    }
    case 'api_key.rotated':
    case 'api_key.revoked': {
      const { userId, keyId } = decodeDomainEvent(type, data);
      return {
        streamId: streamOf.apiKey(keyId),
        again: async (app) => app.revokeApiKey(userId, keyId).catch(unlessUnknown),
      };
    }
    case 'user.closed': {
      const { userId } = decodeDomainEvent(type, data);
      return { streamId: streamOf.user(userId), again: async (app) => app.closeUser(userId) };
    }
    case 'user.reopened': {
      const { userId } = decodeDomainEvent(type, data);
      return { streamId: streamOf.user(userId), again: async (app) => app.reopenUser(userId) };
    }
    case 'user.deleted': {
      const { userId } = decodeDomainEvent(type, data);
      return { streamId: streamOf.user(userId), again: async (app) => app.deleteUser(userId) };
    }
    case undefined:
    default:
      return undefined;
  }
}

/** A key that was created after the backup is not there at all. */
function unlessUnknown(error: unknown): void {
  if (AppError.from(error).code !== 'api_key_not_found') throw error;
}
