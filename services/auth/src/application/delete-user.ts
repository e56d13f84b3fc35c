import type { Counts, DeletionReceipt } from './deletion/ports.js';
import type { Ports } from './ports.js';
import type { Transaction } from './unit-of-work.js';

const RECEIPT_BYTES = 16;

/**
 * Deletes an account for good, one that is closed too. Does nothing the second time, and gives no receipt for it.
 * `closedBy`: only an account that was closed by that moment.
 */
export const deleteUser =
  (ports: Ports) =>
  async (userId: string, closedBy?: Date): Promise<DeletionReceipt | undefined> =>
    ports.unitOfWork.inTurn(userId, async (tx) => {
      const account = await tx.accounts.lockEvenClosed(userId);
      if (account === undefined) return undefined;
      if (closedBy && (account.closedAt === null || account.closedAt > closedBy)) return undefined;
      return endAccount(tx, ports, userId);
    });

/**
 * Ends a locked account: every stream of the user ends, the rows go with the user's row, and the key of the personal
 * fields is shredded. A login or a new key waits for the lock by its foreign key, and finds the user gone.
 */
export async function endAccount(
  tx: Transaction,
  ports: Pick<Ports, 'now' | 'random'>,
  userId: string,
): Promise<DeletionReceipt> {
  const now = ports.now();
  const factors = await tx.factors.list(userId);
  const passkeys = factors.filter(({ factor }) => factor === 'passkey').length;
  const counts = { ...(await endAccess(tx, userId, now)), passkeys };
  await tx.handleUser(userId, { type: 'DeleteUser', data: { at: now.toISOString() } });
  await tx.accounts.shred(userId);
  await tx.receipts.add(userId, { ...newReceipt(ports, now), openUntil: null, ended: {} });
  return tx.receipts.finish(userId, counts);
}

/** Ends the sessions and API keys of a locked account. Returns how many there were. */
export async function endAccess(tx: Transaction, userId: string, now: Date): Promise<Counts> {
  const end = { userId, reason: 'user_deleted', at: now.toISOString() } as const;
  const sessions = await tx.sessions.ofUser(userId);
  const apiKeys = await tx.apiKeys.ofUser(userId);
  await tx.endSessions(sessions, end);
  await tx.endApiKeys(apiKeys, end);
  return { sessions: sessions.length, api_keys: apiKeys.length };
}

export const newReceipt = ({ random }: Pick<Ports, 'random'>, deletedAt: Date) => ({
  receiptId: `rcp_${random(RECEIPT_BYTES).toString('base64url')}`,
  deletedAt,
});
