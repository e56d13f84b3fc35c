import type { DeletionReceipt } from './deletion/ports.js';
import type { Ports } from './ports.js';
import type { Transaction } from './unit-of-work.js';

const RECEIPT_BYTES = 16;

/** Ends the account with its sessions and API keys. Does nothing the second time, and gives no receipt for it. */
export const deleteUser =
  (ports: Ports) =>
  async (userId: string): Promise<DeletionReceipt | undefined> =>
    ports.unitOfWork.inTurn(userId, async (tx) => {
      const account = await tx.accounts.lock(userId);
      return account && closeAccount(tx, ports, userId);
    });

/**
 * Ends a locked account: every stream of the user ends, the rows go with the user's row, and the key of the personal
 * fields is shredded. A login or a new key waits for the lock by its foreign key, and finds the user gone.
 */
export async function closeAccount(
  tx: Transaction,
  { now, random }: Pick<Ports, 'now' | 'random'>,
  userId: string,
): Promise<DeletionReceipt> {
  const deletedAt = now();
  const at = deletedAt.toISOString();
  const sessions = await tx.sessions.ofUser(userId);
  const apiKeys = await tx.apiKeys.ofUser(userId);
  const factors = await tx.factors.list(userId);
  await tx.endSessions(sessions, { userId, reason: 'user_deleted', at });
  await tx.endApiKeys(apiKeys, { userId, reason: 'user_deleted', at });
  await tx.handleUser(userId, { type: 'DeleteUser', data: { at } });
  await tx.accounts.shredKey(userId);
  const counts = {
    sessions: sessions.length,
    api_keys: apiKeys.length,
    passkeys: factors.filter(({ factor }) => factor === 'passkey').length,
  };
  const receiptId = `rcp_${random(RECEIPT_BYTES).toString('base64url')}`;
  const receipt = { receiptId, deletedAt, services: { auth: counts } };
  await tx.receipts.add(userId, receipt);
  return receipt;
}
