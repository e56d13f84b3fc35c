import type { Ports, Visitor } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { SessionCaller } from '../session/logout.js';
import { sessionEnds, userAppend } from './account-appends.js';
import { checkPassword } from './check-password.js';
import { demandMail, invalidToken } from './email.js';
import { accountGone } from './me.js';
import { refuseOwnAddress } from './password-rule.js';

/**
 * Sends a link to whoever has the address. The answer and the work are the same for an address that nobody has.
 */
export const forgotPassword =
  (ports: Ports) =>
  async (address: string, visitor: Visitor): Promise<void> => {
    demandMail(ports);
    await ports.limits.forgot(visitor);
    await ports.mailQueue.add({ kind: 'reset_password', address }, ports.now());
  };

/** A new password by the link of a mail; ends every session. AppError `invalid_or_used_token`, `invalid_request`. */
export const resetPassword =
  (ports: Ports) =>
  async (token: string, newPassword: string, visitor: Visitor): Promise<void> => {
    const { accounts, limits, passwords, now } = ports;
    const wanted = { tokenHash: hashOfSecret(token), purposes: ['reset_password'] as const };
    const taken = await limits.mailedToken(visitor, async () => {
      // Hashing is dear: it is done for a token that is there, not for every guess.
      if (!(await accounts.hasToken({ ...wanted, now: now() }))) return undefined;
      const passwordHash = await passwords.hash(newPassword);
      const at = now().toISOString();
      return accounts.redeem({ ...wanted, now: now(), passwordHash }, (token) => {
        const { userId, email, currentEmail, sessions } = token;
        if (email !== currentEmail) throw invalidToken();
        refuseOwnAddress('new_password', newPassword, currentEmail);
        return [
          ...userAppend(token, { type: 'ChangePassword', data: { reason: 'reset', at } }),
          ...sessionEnds(sessions, { userId, reason: 'password_reset', at }),
        ];
      });
    });
    if (!taken) throw invalidToken();
    const { userId, currentEmail: address } = taken;
    if (address === null) return;
    await limits.passwordReset({ userId, email: address, visitor });
    if (!ports.mailQueue.isOpen) return;
    await ports.mailQueue.add({ kind: 'password_changed', address, userId }, now());
  };

export interface PasswordChangeRequest {
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly visitor: Visitor;
}

/** Ends the other sessions. AppError `invalid_request`, `invalid_password`, `too_many_attempts`. */
export const changePassword =
  (ports: Ports) =>
  async (
    { userId, sessionId }: SessionCaller,
    { currentPassword, newPassword, visitor }: PasswordChangeRequest,
  ): Promise<void> => {
    await checkPassword(ports, userId, { password: currentPassword, visitor });
    const passwordHash = await ports.passwords.hash(newPassword);
    const at = ports.now().toISOString();
    const { currentEmail: address } = await ports.accounts.changePassword(
      userId,
      passwordHash,
      (account) => {
        refuseOwnAddress('new_password', newPassword, account.currentEmail);
        const others = account.sessions.filter((session) => session.sessionId !== sessionId);
        // A reset has ended this session meanwhile: it must not be overwritten.
        if (others.length === account.sessions.length) throw accountGone();
        return [
          ...userAppend(account, { type: 'ChangePassword', data: { reason: 'changed', at } }),
          ...sessionEnds(others, { userId, reason: 'password_changed', at }),
        ];
      },
    );
    if (address === null || !ports.mailQueue.isOpen) return;
    await ports.mailQueue.add({ kind: 'password_changed', address, userId }, ports.now());
  };
