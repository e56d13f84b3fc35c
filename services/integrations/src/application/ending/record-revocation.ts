import type { RevokedReason } from '../../domain/connection/events.js';
import type { ConnectionRecord } from '../connections/ports.js';
import { bySystem } from '../handle-command.js';
import { passOnPrimary } from '../pass-on-primary.js';
import type { Ports } from '../ports.js';
import { revokeTokens } from '../revoke-tokens.js';
import type { Transaction } from '../unit-of-work.js';
import type { CheckedConnection } from './ports.js';

export interface RevokedAtProvider {
  readonly connection: ConnectionRecord;
  readonly reason: RevokedReason;
  readonly at: Date;
}

/** Ends a connection that ended at its provider; false when it had ended before. */
export async function recordRevocation(
  tx: Transaction,
  { log }: Pick<Ports, 'log'>,
  { connection, reason, at }: RevokedAtProvider,
): Promise<boolean> {
  const { connectionId, credentialVersion } = connection;
  const data = { credentialVersion, reason, at: at.toISOString() };
  const command = { type: 'RecordRevocation', data } as const;
  const { events } = await tx.handle(connectionId, command, { actor: bySystem });
  if (events.length === 0) return false;
  // RISC says that the account is disabled, not that its tokens ended: enabled again, they might live.
  if (reason === 'account_disabled') await revokeTokens(tx, log, connectionId);
  else await tx.credentials.delete([connectionId]);
  await passOnPrimary(tx, connection, data.at);
  return true;
}

/**
 * Records that the provider calls these credentials inactive, after a refresh that was to prove it. Without effect on a
 * newer version, and on a connection that this refresh ended for another reason than the provider's refusal: a refresh
 * token that was lost, or an access token that expired, is inactive as well.
 */
export async function recordInactive(
  ports: Pick<Ports, 'unitOfWork' | 'log' | 'now'>,
  { userId, connectionId, credentialVersion }: CheckedConnection,
): Promise<void> {
  const at = ports.now();
  await ports.unitOfWork.inUserTurn(userId, async (tx) => {
    const connection = await tx.connections.get(connectionId);
    if (connection?.credentialVersion !== credentialVersion) return;
    const { status, statusReason } = connection;
    if (status === 'reconnect_required' && statusReason !== 'invalid_grant') return;
    await recordRevocation(tx, ports, { connection, reason: 'inactive', at });
  });
}
