import { AppError } from '@junction/errors';
import { apiKeyEnds, sessionEnds, userAppend } from '../account/account-appends.js';
import { refuseOwnAddress } from '../account/password-rule.js';
import type { Ports, Visitor } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import { type AccountChange, UNDO_MS, type UndoneAccount } from './ports.js';

/** Lists the changes that the link of a mail would take back, oldest first. AppError `invalid_or_used_token`. */
export const previewUndo =
  (ports: Ports) =>
  async (token: string, visitor: Visitor): Promise<readonly AccountChange[]> => {
    const changes = await ports.limits.mailedToken(visitor, async () => find(ports, token));
    if (!changes) throw linkOver();
    return changes;
  };

/**
 * Takes back a change of an account by the link of the mail about it, with every change since, ends all sessions and
 * sets a new password, so that a thief who made these changes has nothing left of them. AppError
 * `invalid_or_used_token`, `email_taken`, `invalid_request`.
 */
export const undoChanges =
  (ports: Ports) =>
  async (token: string, newPassword: string, visitor: Visitor): Promise<void> => {
    const { accountChanges, limits, passwords } = ports;
    const undone = await limits.mailedToken(visitor, async () => {
      // Hashing is dear: it is done for a token that is there, not for every guess.
      if (!(await find(ports, token))) return undefined;
      const passwordHash = await passwords.hash(newPassword);
      const at = ports.now().toISOString();
      return accountChanges.undo({ ...wanted(ports, token), passwordHash }, (account) => {
        refuseOwnAddress('new_password', newPassword, account.email);
        return appendsOf(account, at);
      });
    });
    if (!undone) throw linkOver();
    await limits.passwordReset({ userId: undone.userId, email: undone.email, visitor });
  };

const appendsOf = (account: UndoneAccount, at: string) => {
  const { userId, sessions, apiKeys, undoing } = account;
  const why = { userId, reason: 'undo' as const, at };
  return [
    ...userAppend(account, { type: 'UndoChanges', data: { ...undoing, at } }),
    ...sessionEnds(sessions, why),
    ...apiKeyEnds(apiKeys, why),
  ];
};

async function find(ports: Ports, token: string): Promise<readonly AccountChange[] | undefined> {
  const changes = await ports.accountChanges.find(wanted(ports, token));
  return changes.length === 0 ? undefined : changes;
}

const wanted = ({ now }: Ports, token: string) => ({
  tokenHash: hashOfSecret(token),
  since: cutoff(now()),
});

/** Deletes what nobody can take back any more. */
export const deleteEndedChanges =
  ({ accountChanges, now }: Ports) =>
  async (): Promise<void> =>
    accountChanges.deleteEnded(cutoff(now()));

const cutoff = (now: Date): Date => new Date(now.getTime() - UNDO_MS);

const linkOver = (): AppError =>
  new AppError(
    'invalid_or_used_token',
    'This link has expired, was used before, or is incomplete. The mail about another change may have one that still counts. Otherwise choose "Forgot password" where you sign in.',
  );
