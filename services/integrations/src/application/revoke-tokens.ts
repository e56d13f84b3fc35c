import type { Log } from './ports.js';
import type { Transaction } from './unit-of-work.js';

/**
 * Deletes the tokens of a connection with their key, and queues them to be revoked at the provider.
 * False: nothing was queued, because there were none or they cannot be read.
 */
export async function revokeTokens(
  tx: Transaction,
  log: Pick<Log, 'error'>,
  connectionId: string,
): Promise<boolean> {
  const found = await tx.credentials.revocable(connectionId);
  if (found === undefined) return false;
  if (found.kind === 'readable') {
    await tx.revocations.add(connectionId, found.token);
  } else {
    // The end must not fail because of such a row: otherwise that connection could never be ended.
    const fields = { err: found.error, connection_id: connectionId };
    log.error(fields, 'stored tokens do not open, and are deleted without being revoked');
  }
  await tx.credentials.delete([connectionId]);
  return found.kind === 'readable';
}
