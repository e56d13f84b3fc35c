import { checkPassword } from '../check-password.js';
import { lockedAccount } from '../locked-account.js';
import { accountGone } from '../me.js';
import { refuseOwnAddress } from '../password-rule.js';
import type { Ports, Visitor } from '../ports.js';
import { askForMail } from '../queue-mail.js';
import { recoverUser } from '../recover-user.js';
import { hashOfSecret } from '../secret-hash.js';
import type { SessionCaller } from '../session/ports.js';
import { setPassword } from '../set-password.js';
import { beginAnew } from './begin-anew.js';
import { demandMail } from './email.js';
import { invalidToken, redeem } from './mailed-token.js';
import type { WantedToken } from './ports.js';

/**
 * Sends a link to whoever has the address. The answer and the work are the same for an address that nobody has.
 * `knownUsers`: those whom the browser that asks was signed in as before. AppError `too_many_attempts`, never for who
 * is known to have the address.
 */
export const forgotPassword =
  (ports: Ports) =>
  async (address: string, visitor: Visitor, knownUsers: readonly string[] = []): Promise<void> => {
    demandMail(ports);
    const known = await Promise.all(knownUsers.map(async (id) => ports.accounts.find(id)));
    // An address that was never verified may be a stranger's, and gets no more mails for a sign-in.
    const isKnown = known.some((user) => user?.email === address && user.emailVerifiedAt !== null);
    if (!isKnown) await ports.limits.forgot(visitor);
    await askForMail(ports, { kind: 'reset_password', address, ip: visitor.ip, isKnown });
  };

/**
 * Returns the user of whom a reset by this token ends API keys and webhooks; undefined: the address was never verified,
 * so the account ends, and another one begins. Leaves the token unused. AppError `invalid_or_used_token`.
 */
export const previewPasswordReset =
  (ports: Ports) =>
  async (token: string, visitor: Visitor): Promise<{ readonly userId: string | undefined }> => {
    const account = await ports.limits.mailedToken(visitor, async () =>
      ports.accounts.mailedTo(resetBy(ports, token)),
    );
    if (!account || account.email !== account.currentEmail) throw invalidToken();
    return { userId: account.isVerified ? account.userId : undefined };
  };

/** Parts of an account that a reset leaves as they are. */
export interface Kept {
  readonly keepApiKeys?: boolean | undefined;
  readonly keepWebhooks?: boolean | undefined;
}

/**
 * Sets a new password by the link of a mail. Ends every session and portal, and unless they are to be kept the API keys
 * and webhooks; where the address was never verified, the account begins anew. AppError `invalid_or_used_token`,
 * `invalid_request`.
 */
export const resetPassword =
  (ports: Ports) =>
  async (
    token: string,
    newPassword: string,
    visitor: Visitor,
    { keepApiKeys = false, keepWebhooks = false }: Kept = {},
  ): Promise<void> => {
    const { accounts, limits, passwords, now } = ports;
    const taken = await limits.mailedToken(visitor, async () => {
      const account = await accounts.mailedTo(resetBy(ports, token));
      // Hashing is dear: it is done for a token that is there, not for every guess.
      if (!account) return undefined;
      refuseOwnAddress('new_password', newPassword, account.currentEmail);
      const passwordHash = await passwords.hash(newPassword);
      const wanted = resetBy(ports, token);
      if (!account.isVerified) return beginAnew(ports, wanted, passwordHash);
      const at = now().toISOString();
      return redeem(ports, wanted, async (tx, { token: { userId, email }, account }) => {
        if (email !== account.email) throw invalidToken();
        await tx.handleUser(userId, { type: 'ChangePassword', data: { reason: 'reset', at } });
        const sessions = await tx.sessions.ofUser(userId);
        await tx.endSessions(sessions, { userId, reason: 'password_reset', at });
        if (!keepApiKeys) {
          await tx.endApiKeys(await tx.apiKeys.ofUser(userId), { userId, reason: 'user', at });
        }
        const webhooks = keepWebhooks ? { webhookIds: [] } : {};
        await recoverUser(tx, userId, { reason: 'reset', ...webhooks, at });
        await setPassword(tx, userId, passwordHash);
      });
    });
    if (!taken) throw invalidToken();
    const { email } = taken;
    if (email !== null) await limits.passwordReset({ email, visitor });
  };

const resetBy = ({ now }: Ports, token: string): WantedToken => ({
  tokenHash: hashOfSecret(token),
  purposes: ['reset_password'],
  now: now(),
});

export interface PasswordChangeRequest {
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly visitor: Visitor;
}

/** Ends the other sessions. AppError `invalid_request`, `invalid_password`, `too_many_attempts`. */
export const changePassword =
  (ports: Ports) =>
  async (
    caller: SessionCaller,
    { currentPassword, newPassword, visitor }: PasswordChangeRequest,
  ): Promise<void> => {
    const { userId, sessionId } = caller;
    await checkPassword(ports, caller, { password: currentPassword, visitor });
    const passwordHash = await ports.passwords.hash(newPassword);
    const at = ports.now().toISOString();
    await ports.unitOfWork.inTurn(userId, async (tx) => {
      const { email } = await lockedAccount(tx, userId);
      refuseOwnAddress('new_password', newPassword, email);
      const sessions = await tx.sessions.ofUser(userId);
      const others = sessions.filter((session) => session.sessionId !== sessionId);
      // A reset has ended this session meanwhile: it must not be overwritten.
      if (others.length === sessions.length) throw accountGone();
      await tx.handleUser(userId, { type: 'ChangePassword', data: { reason: 'changed', at } });
      await tx.endSessions(others, { userId, reason: 'password_changed', at });
      await setPassword(tx, userId, passwordHash);
    });
  };
