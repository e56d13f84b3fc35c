import { hasEnded } from '../../domain/connection/events.js';
import { bySystem, byUser } from '../handle-command.js';
import { ownIntegration } from '../integration-named.js';
import type { ConnectionRecord, Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';

/**
 * Makes a connection the primary, which serves when its kind alone is named, and returns the connection afterwards.
 * AppError `integration_not_found`; `integration_ended` for a connection that is revoked or disconnected.
 */
export const makePrimary =
  ({ unitOfWork, now }: Pick<Ports, 'unitOfWork' | 'now'>) =>
  async (userId: string, integrationId: string): Promise<ConnectionRecord> => {
    const data = { at: now().toISOString() };
    return unitOfWork.inUserTurn(userId, async (tx) => {
      const connection = await ownIntegration(tx.connections, userId, integrationId);
      if (connection.is_primary && !hasEnded(connection.status)) return connection;
      await tx.handle(integrationId, { type: 'MakePrimary', data }, { actor: byUser(userId) });
      return ownIntegration(tx.connections, userId, integrationId);
    });
  };

/** Makes the oldest standing connection of a kind the primary for good, when the primary has ended. */
export async function passOnPrimary(
  tx: Transaction,
  { is_primary: wasPrimary, user_id: userId, provider }: ConnectionRecord,
  at: string,
): Promise<void> {
  if (!wasPrimary) return;
  const [next] = await tx.connections.ofKind(userId, provider);
  if (next === undefined || hasEnded(next.status)) return;
  const command = { type: 'MakePrimary', data: { at } } as const;
  await tx.handle(next.connection_id, command, { actor: bySystem });
}
