import { isLive } from '../../domain/connection/events.js';
import type { ConnectionRecord } from '../connections/ports.js';
import { bySystem, byUser } from '../handle-command.js';
import { isIntegrationId, ownIntegration } from '../integration-named.js';
import { passOnPrimary } from '../pass-on-primary.js';
import type { Ports } from '../ports.js';
import { kindNamed } from '../provider-of.js';
import { revokeTokens } from '../revoke-tokens.js';
import type { Transaction } from '../unit-of-work.js';

type DisconnectPorts = Pick<Ports, 'unitOfWork' | 'log' | 'now'>;

/**
 * Ends a connection, or all of a kind, here: events, tokens, data keys and the entries in the revocation queue are
 * committed when this resolves, so no token is handed out afterwards. Pending authorizations at its client, or for the
 * kind, end too, also an authorization whose code is being exchanged. Without a connection nothing happens. AppError
 * `precondition_failed` when versions are given and the connection (of a kind the primary connection) has another;
 * `integration_not_found`, `unknown_provider`.
 */
export const disconnect =
  (ports: DisconnectPorts) =>
  async (userId: string, named: string, ifVersion?: readonly number[]): Promise<void> =>
    ports.unitOfWork.inUserTurn(userId, async (tx) => {
      if (isIntegrationId(named)) {
        const connection = await ownIntegration(tx.connections, userId, named);
        await tx.authorizations.delete(userId, connection.provider, connection.identityProvider);
        await end(tx, ports, connection, ifVersion);
        return passOnPrimary(tx, connection, ports.now().toISOString());
      }
      const kind = kindNamed(named);
      await tx.authorizations.delete(userId, kind);
      const [primary, ...others] = await tx.connections.ofKind(userId, kind);
      if (primary) await end(tx, ports, primary, ifVersion);
      for (const connection of others) await end(tx, ports, connection);
    });

async function end(
  tx: Transaction,
  { log, now }: DisconnectPorts,
  { connectionId: id, userId, status }: ConnectionRecord,
  ifVersion?: readonly number[],
): Promise<void> {
  const at = now().toISOString();
  // A repeat names the version before the end.
  const context = { actor: byUser(userId), ...(status !== 'disconnected' && { ifVersion }) };
  await tx.handle(id, { type: 'Disconnect', data: { at } }, context);
  const isQueued = await revokeTokens(tx, log, id);
  if (isQueued || !isLive(status)) return;
  // Nothing was queued, so the outcome is recorded here; otherwise it would be pending for ever.
  const data = { outcome: 'failed', at } as const;
  await tx.handle(id, { type: 'RecordRevocationOutcome', data }, { actor: bySystem });
}
