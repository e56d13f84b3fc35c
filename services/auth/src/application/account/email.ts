import { AppError } from '@junction/errors';
import { accountElsewhere } from '../../domain/user/decider.js';
import type { Ports, Visitor } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import { userAppend } from './account-appends.js';
import { checkPassword } from './check-password.js';
import { me } from './me.js';

/** The mail that asks a user to verify the address. Does nothing when it is verified. */
export const resendVerification =
  (ports: Ports) =>
  async (userId: string): Promise<void> => {
    const { email, emailVerifiedAt } = await me(ports)(userId);
    if (email === null) throw accountElsewhere();
    demandMail(ports);
    if (emailVerifiedAt !== null) return;
    await ports.mailQueue.add({ kind: 'verify_email', address: email, userId }, ports.now());
  };

/** Verifies an address, or changes it to the one that the mail went to. AppError `invalid_or_used_token`, `email_taken`. */
export const verifyEmail =
  (ports: Ports) =>
  async (token: string, visitor: Visitor): Promise<void> => {
    const { accounts, limits, now } = ports;
    const at = now().toISOString();
    const tokenHash = hashOfSecret(token);
    const wanted = { tokenHash, purposes: ['verify_email', 'change_email'] as const, now: now() };
    const taken = await limits.mailedToken(visitor, async () =>
      accounts.redeem(wanted, (token) => {
        const { purpose, email, currentEmail } = token;
        if (purpose === 'change_email') {
          return userAppend(token, { type: 'ChangeEmail', data: { email, at } });
        }
        // The address was changed since: what is verified is not what the account has.
        if (email !== currentEmail) throw invalidToken();
        return userAppend(token, { type: 'VerifyEmail', data: { at } });
      }),
    );
    if (!taken) throw invalidToken();
    const { userId, currentEmail: address } = taken;
    if (taken.purpose === 'change_email' && address !== null && ports.mailQueue.isOpen) {
      await ports.mailQueue.add({ kind: 'email_changed', address, userId }, now());
    }
  };

/** Sends a mail to the new address, which counts once it is confirmed there. AppError `invalid_password`. */
export const changeEmail =
  (ports: Ports) =>
  async (
    userId: string,
    { password, newEmail, visitor }: { password: string; newEmail: string; visitor: Visitor },
  ): Promise<void> => {
    demandMail(ports);
    await checkPassword(ports, userId, { password, visitor });
    await ports.mailQueue.add({ kind: 'change_email', address: newEmail, userId }, ports.now());
  };

export const invalidToken = (): AppError =>
  new AppError(
    'invalid_or_used_token',
    'This link has expired, was used before, or is incomplete. Ask for a new one.',
  );

export function demandMail({ mailQueue }: Ports): void {
  if (mailQueue.isOpen) return;
  throw new AppError(
    'mail_unavailable',
    'This installation sends no mail: its operator has not set SMTP_URL.',
  );
}
