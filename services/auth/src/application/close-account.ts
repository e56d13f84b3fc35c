import type { LockedAccount } from './account/ports.js';
import { deleteUser, endAccess, endAccount, newReceipt } from './delete-user.js';
import type { DeletionReceipt } from './deletion/ports.js';
import type { Ports, Visitor } from './ports.js';
import { UNDO_MS } from './undo/ports.js';
import { linkOver, wantedBy } from './undo-link.js';
import type { Transaction } from './unit-of-work.js';

/**
 * Deletes a locked account as its user wishes: what acts for the user ends now, and the rest after 72 hours, until
 * which the links of mails bring it back. Where no mail has a link, which is so while the address is not verified, all
 * ends now: nothing could bring it back, and an address that may be a stranger's is not claimed.
 */
export async function closeAccount(
  tx: Transaction,
  ports: Ports,
  { userId, email, isVerified }: LockedAccount,
): Promise<DeletionReceipt> {
  if (email === null || !isVerified || !tx.mails.isOpen) return endAccount(tx, ports, userId);
  const now = ports.now();
  const openUntil = new Date(now.getTime() + UNDO_MS);
  const ended = { auth: await endAccess(tx, userId, now) };
  const lost = await tx.accountChanges.prolong(userId, now, openUntil);
  await tx.handleUser(userId, { type: 'CloseUser', data: { at: now.toISOString() } });
  await tx.accounts.close(userId);
  for (const { changeId, email: address } of lost) {
    await tx.mails.add({ kind: 'account_deleted', address, userId, changeId }, now);
  }
  const receipt = { ...newReceipt(ports, now), openUntil, ended };
  await tx.receipts.add(userId, receipt);
  return { ...receipt, services: {} };
}

/** Closes an account again whose end this database has lost. Does nothing for a user who is gone. */
export const closeUser =
  (ports: Ports) =>
  async (userId: string): Promise<void> =>
    ports.unitOfWork.inTurn(userId, async (tx) => {
      const account = await tx.accounts.lock(userId);
      if (account) await closeAccount(tx, ports, account);
    });

/** Opens an account again whose return this database has lost. Its user sets a password by a mail. */
export const reopenUser =
  (ports: Ports) =>
  async (userId: string): Promise<void> =>
    ports.unitOfWork.inTurn(userId, async (tx) => reopenAccount(tx, userId, ports.now()));

/** Brings a locked account back as it was, without what acted for its user. Does nothing where it is open. */
export async function reopenAccount(tx: Transaction, userId: string, now: Date): Promise<void> {
  const events = await tx.handleUser(userId, {
    type: 'ReopenUser',
    data: { at: now.toISOString() },
  });
  if (events.length > 0) await tx.receipts.delete(userId);
}

/**
 * Ends an account at once that its user has deleted, by the link of a mail to the first address that it could have
 * back: whoever has moved the address cannot. AppError `invalid_or_used_token`.
 */
export const endClosedAccount =
  (ports: Ports) =>
  async (token: string, visitor: Visitor): Promise<DeletionReceipt> => {
    const receipt = await ports.limits.mailedToken(visitor, async () => {
      const wanted = wantedBy(ports, token);
      return ports.unitOfWork.inTurn(wanted.tokenHash.toString('base64url'), async (tx) => {
        const found = await tx.accountChanges.find(wanted);
        const account = found && (await tx.accounts.lockEvenClosed(found.userId));
        const change = account?.closedAt && (await tx.accountChanges.find(wanted));
        return change?.mayEndAtOnce ? endAccount(tx, ports, change.userId) : undefined;
      });
    });
    if (receipt) return receipt;
    throw linkOver();
  };

/** Ends some of the accounts that nobody has brought back. */
export const endClosedAccounts = (ports: Ports) => async (): Promise<void> => {
  const closedBy = new Date(ports.now().getTime() - UNDO_MS);
  for (const userId of await ports.accounts.closedBy(closedBy)) {
    await deleteUser(ports)(userId, closedBy);
  }
};
