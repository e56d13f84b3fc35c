import { isLive } from '../domain/connection/events.js';
import { bySystem, byUser } from './handle-command.js';
import type { Ports } from './ports.js';
import { providerNameOf } from './provider-of.js';
import { revokeTokens } from './revoke-tokens.js';

/**
 * Ends a connection here: event, tokens, data key and the entry in the revocation queue are committed
 * when this resolves, so no token is handed out afterwards. Authorizations that were begun end too, also
 * one whose code is being exchanged. Nothing to end is no error. AppError `precondition_failed` when versions
 * are given and the connection has another one.
 */
export const disconnect =
  ({ providers, unitOfWork, log, now }: Pick<Ports, 'providers' | 'unitOfWork' | 'log' | 'now'>) =>
  async (userId: string, providerName: string, ifVersion?: readonly number[]): Promise<void> => {
    const provider = providerNameOf(providers, providerName);
    const at = now().toISOString();
    await unitOfWork.inUserTurn(userId, async (tx) => {
      await tx.authorizations.delete(userId, provider);
      const connection = await tx.connections.find(userId, provider);
      if (connection === undefined) return;
      const { connection_id: id, status } = connection;
      // A repeat names the version before the end.
      const context = { actor: byUser(userId), ...(status !== 'disconnected' && { ifVersion }) };
      await tx.handle(id, { type: 'Disconnect', data: { at } }, context);
      const isQueued = await revokeTokens(tx, log, connection);
      if (isQueued || !isLive(status)) return;
      // Nothing was queued, so the outcome is recorded here, or it would be pending for ever.
      const data = { outcome: 'failed', at } as const;
      await tx.handle(id, { type: 'RecordRevocationOutcome', data }, { actor: bySystem });
    });
  };
