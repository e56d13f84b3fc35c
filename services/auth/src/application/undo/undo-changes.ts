import { reopenAccount } from '../close-account.js';
import { NOTICES } from '../notices.js';
import { refuseOwnAddress } from '../password-rule.js';
import type { Ports, Visitor } from '../ports.js';
import { recoverUser } from '../recover-user.js';
import { setPassword } from '../set-password.js';
import { linkOver, wantedBy } from '../undo-link.js';
import type { Transaction } from '../unit-of-work.js';
import type { FoundChange, UndoPreview } from './ports.js';

/** Lists the changes that the link of a mail would take back, oldest first. AppError `invalid_or_used_token`. */
export const previewUndo =
  (ports: Ports) =>
  async (token: string, visitor: Visitor): Promise<UndoPreview> => {
    const preview = await ports.limits.mailedToken(visitor, async () => find(ports, token));
    if (!preview) throw linkOver();
    return preview;
  };

/**
 * Takes back a change of an account by the link of the mail about it, with every change since, its deletion too, ends
 * all sessions and sets a new password, so that a thief who made these changes has nothing left of them. AppError
 * `invalid_or_used_token`, `email_taken`, `invalid_request`.
 */
export const undoChanges =
  (ports: Ports) =>
  async (token: string, newPassword: string, visitor: Visitor): Promise<void> => {
    const { limits, passwords, unitOfWork } = ports;
    const undone = await limits.mailedToken(visitor, async () => {
      // Hashing is dear: it is done for a token that is there, not for every guess.
      if (!(await find(ports, token))) return undefined;
      const passwordHash = await passwords.hash(newPassword);
      const link = wantedBy(ports, token);
      const at = ports.now();
      return unitOfWork.inTurn(link.tokenHash.toString('base64url'), async (tx) => {
        const found = await tx.accountChanges.find(link);
        const account = found && (await tx.accounts.lockEvenClosed(found.userId));
        // Another use of the link, or of an earlier one, may have come first until the account was locked.
        const change = account && (await tx.accountChanges.find(link));
        if (account === undefined || change === undefined) return undefined;
        refuseOwnAddress('new_password', newPassword, change.email);
        await reopenAccount(tx, change.userId, at);
        const isMoved = account.email !== change.email;
        await takeBack(tx, change, { isMoved, at: at.toISOString() });
        await setPassword(tx, change.userId, passwordHash);
        return change;
      });
    });
    if (!undone) throw linkOver();
    await limits.passwordReset({ email: undone.email, visitor });
  };

/** The links of this change and of later ones end: they may have gone to the address of whoever made these. */
async function takeBack(
  tx: Transaction,
  change: FoundChange,
  { isMoved, at }: { readonly isMoved: boolean; readonly at: string },
): Promise<void> {
  const { userId, email } = change;
  const factors = await tx.accountChanges.restoreFactors(change);
  const apiKeys = await tx.accountChanges.apiKeysSince(change);
  const webhookIds = await tx.accountChanges.webhooksSince(change);
  await tx.accountChanges.deleteSince(change);
  // The mails about what was taken back must not leave the next change of their kind without one.
  await tx.mails.readmit({ address: email, userId }, Object.keys(NOTICES));
  const data = { ...factors, ...(isMoved && { email }), at };
  await tx.handleUser(userId, { type: 'UndoChanges', data });
  await tx.endSessions(await tx.sessions.ofUser(userId), { userId, reason: 'undo', at });
  await tx.endApiKeys(apiKeys, { userId, reason: 'undo', at });
  await recoverUser(tx, userId, { reason: 'undo', webhookIds, at });
}

const find = async (ports: Ports, token: string): Promise<UndoPreview | undefined> =>
  ports.accountChanges.find(wantedBy(ports, token));

/** Deletes what nobody can take back any more. */
export const deleteEndedChanges =
  ({ accountChanges, now }: Ports) =>
  async (): Promise<void> =>
    accountChanges.deleteEnded(now());
