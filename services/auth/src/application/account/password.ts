import type { ApiKeyRow } from '../api-key/ports.js';
import { askForMail } from '../mail/queue-mail.js';
import type { Ports, Visitor } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { SessionCaller } from '../session/logout.js';
import { apiKeyEnds, sessionEnds, userAppend } from './account-appends.js';
import { beginAnew } from './begin-anew.js';
import { checkPassword } from './check-password.js';
import { demandMail } from './email.js';
import { invalidToken } from './mailed-token.js';
import { accountGone } from './me.js';
import { refuseOwnAddress } from './password-rule.js';
import type { WantedToken } from './ports.js';

/**
 * Sends a link to whoever has the address. The answer and the work are the same for an address that nobody has.
 */
export const forgotPassword =
  (ports: Ports) =>
  async (address: string, visitor: Visitor): Promise<void> => {
    demandMail(ports);
    await ports.limits.forgot(visitor);
    await askForMail(ports, { kind: 'reset_password', address });
  };

/** The effects of a reset by a mailed token. */
export interface ResetPreview {
  /** The address was never verified: the account ends, and another one begins. */
  readonly beginsAnew: boolean;
  /** The keys that end unless they are kept; none where the account begins anew, for it may be another's. */
  readonly apiKeys: readonly ApiKeyRow[];
}

/** Tells what `resetPassword` would end, and leaves the token unused. AppError `invalid_or_used_token`. */
export const previewPasswordReset =
  (ports: Ports) =>
  async (token: string, visitor: Visitor): Promise<ResetPreview> => {
    const account = await ports.limits.mailedToken(visitor, async () =>
      ports.accounts.mailedTo(resetBy(ports, token)),
    );
    if (!account || account.email !== account.currentEmail) throw invalidToken();
    const { isVerified, userId } = account;
    return { beginsAnew: !isVerified, apiKeys: isVerified ? await ports.apiKeys.list(userId) : [] };
  };

/**
 * Sets a new password by the link of a mail. Ends every session, and the API keys unless they are to be kept; where
 * the address was never verified, the account begins anew. AppError `invalid_or_used_token`, `invalid_request`.
 */
export const resetPassword =
  (ports: Ports) =>
  async (
    token: string,
    newPassword: string,
    visitor: Visitor,
    { keepApiKeys = false }: { readonly keepApiKeys?: boolean | undefined } = {},
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
      return accounts.redeem({ ...wanted, passwordHash }, (token) => {
        const { userId, email, currentEmail, sessions, apiKeys } = token;
        if (email !== currentEmail) throw invalidToken();
        return [
          ...userAppend(token, { type: 'ChangePassword', data: { reason: 'reset', at } }),
          ...sessionEnds(sessions, { userId, reason: 'password_reset', at }),
          ...(keepApiKeys ? [] : apiKeyEnds(apiKeys, { userId, reason: 'user', at })),
        ];
      });
    });
    if (!taken) throw invalidToken();
    const { userId, currentEmail: address } = taken;
    if (address === null) return;
    await limits.passwordReset({ userId, email: address, visitor });
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
    { userId, sessionId }: SessionCaller,
    { currentPassword, newPassword, visitor }: PasswordChangeRequest,
  ): Promise<void> => {
    await checkPassword(ports, userId, { password: currentPassword, visitor });
    const passwordHash = await ports.passwords.hash(newPassword);
    const at = ports.now().toISOString();
    await ports.accounts.changePassword(userId, passwordHash, (account) => {
      refuseOwnAddress('new_password', newPassword, account.currentEmail);
      const others = account.sessions.filter((session) => session.sessionId !== sessionId);
      // A reset has ended this session meanwhile: it must not be overwritten.
      if (others.length === account.sessions.length) throw accountGone();
      return [
        ...userAppend(account, { type: 'ChangePassword', data: { reason: 'changed', at } }),
        ...sessionEnds(others, { userId, reason: 'password_changed', at }),
      ];
    });
  };
