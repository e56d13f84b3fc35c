import { decodeDomainEvent } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { findEvent } from '@junction/eventsourcing/postgres';
import type { InboundRecord } from '@junction/messaging';
import type pg from 'pg';
import type { Application } from '../../application/application.js';
import { connectionStream } from '../../application/handle-command.js';

/**
 * Disconnects again connections whose end this service has published but its database does not know, because the
 * database was restored from an earlier backup. Events that are stored are skipped, so running it again changes
 * nothing.
 */
export const onOwnEvents =
  ({ disconnect }: Pick<Application, 'disconnect'>) =>
  async (records: readonly InboundRecord[], tx: pg.PoolClient): Promise<undefined> => {
    for (const { headers, value } of records) {
      const type = headers['ce_type'];
      if (type !== 'integration.disconnected') continue;
      const { userId, connectionId } = decodeDomainEvent(type, value ?? Buffer.from('{}'));
      const stored = await findEvent(tx, headers['ce_id'] ?? '', connectionStream(connectionId));
      if (stored === undefined) await disconnect(userId, connectionId).catch(unlessUnknown);
    }
  };

/** Ignores that a connection is unknown: a connection that was made after the backup is not there at all. */
function unlessUnknown(error: unknown): void {
  if (AppError.from(error).code !== 'integration_not_found') throw error;
}
