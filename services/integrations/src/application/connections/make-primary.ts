import { hasEnded } from '../../domain/connection/events.js';
import { byUser } from '../handle-command.js';
import { ownIntegration } from '../integration-named.js';
import type { Ports } from '../ports.js';

/**
 * Makes a connection the primary, which serves when its kind alone is named.
 * AppError `integration_not_found`; `integration_ended` for a connection that is revoked or disconnected.
 */
export const makePrimary =
  ({ unitOfWork, now }: Pick<Ports, 'unitOfWork' | 'now'>) =>
  async (userId: string, integrationId: string): Promise<void> => {
    const data = { at: now().toISOString() };
    await unitOfWork.inUserTurn(userId, async (tx) => {
      const connection = await ownIntegration(tx.connections, userId, integrationId);
      if (connection.isPrimary && !hasEnded(connection.status)) return;
      await tx.handle(integrationId, { type: 'MakePrimary', data }, { actor: byUser(userId) });
    });
  };
