import { AppError } from '@junction/errors';
import { accountElsewhere } from '../../domain/user/decider.js';
import { checkPassword } from '../check-password.js';
import { me } from '../me.js';
import { refuseOwnAddress } from '../password-rule.js';
import type { Ports, Visitor } from '../ports.js';
import { askForMail } from '../queue-mail.js';
import { hashOfSecret } from '../secret-hash.js';
import type { SessionCaller } from '../session/ports.js';
import { beginAnew } from './begin-anew.js';
import { invalidToken, redeem } from './mailed-token.js';
import type { MailedAccount } from './ports.js';

/** The mail that asks a user to verify the address. Does nothing when it is verified. */
export const resendVerification =
  (ports: Ports) =>
  async (userId: string, { ip }: Pick<Visitor, 'ip'>): Promise<void> => {
    const { email, emailVerifiedAt } = await me(ports)(userId);
    if (email === null) throw accountElsewhere();
    demandMail(ports);
    if (emailVerifiedAt !== null) return;
    await askForMail(ports, { kind: 'verify_email', address: email, userId, ip });
  };

/** Shows whose account a mailed token names: the token itself says who reads the mailbox, and no more. */
export interface RegistrantProof {
  /** The user of the session that the request comes with. */
  readonly sessionUserId?: string | undefined;
  /** The password of the account. */
  readonly password?: string | undefined;
  /** The password that somebody chooses who did not register: the account begins anew with it. */
  readonly newPassword?: string | undefined;
}

/**
 * Verifies an address, or changes it to the address that the mail went to. A mailbox alone must not confirm an
 * account that another person may have opened, so the registrant shows the account's password or session, or the
 * account begins anew. AppError `invalid_or_used_token`, `email_taken`; `registrant_unknown`, `password_required`,
 * `invalid_password`, `too_many_attempts`, all of which leave the token unused.
 */
export const verifyEmail =
  (ports: Ports) =>
  async (token: string, visitor: Visitor, proof: RegistrantProof = {}): Promise<void> => {
    const { accounts, limits, passwords, now } = ports;
    const at = now().toISOString();
    const tokenHash = hashOfSecret(token);
    const wanted = { tokenHash, purposes: ['verify_email', 'change_email'] as const, now: now() };
    const taken = await limits.mailedToken(visitor, async () => {
      const account = await accounts.mailedTo(wanted);
      if (!account) return undefined;
      const { newPassword } = proof;
      // An account whose address is to change stays its owner's: who did not ask for the change has another address.
      if (account.purpose === 'verify_email' && newPassword !== undefined) {
        refuseOwnAddress('new_password', newPassword, account.email);
        return beginAnew(ports, wanted, await passwords.hash(newPassword));
      }
      await demandRegistrant(ports, account, { ...proof, visitor });
      return redeem(ports, wanted, async (tx, { token: { userId, purpose, email }, account }) => {
        if (purpose === 'change_email') {
          await tx.handleUser(userId, { type: 'ChangeEmail', data: { email, at } });
          return;
        }
        // The address was changed since: what is verified is not what the account has.
        if (email !== account.email) throw invalidToken();
        await tx.handleUser(userId, { type: 'VerifyEmail', data: { at } });
      });
    });
    if (!taken) throw invalidToken();
  };

/** Sends a mail to the new address, which counts once it is confirmed there. AppError `invalid_password`. */
export const changeEmail =
  (ports: Ports) =>
  async (
    caller: SessionCaller,
    { password, newEmail, visitor }: { password: string; newEmail: string; visitor: Visitor },
  ): Promise<void> => {
    demandMail(ports);
    await checkPassword(ports, caller, { password, visitor });
    const { userId } = caller;
    await askForMail(ports, { kind: 'change_email', address: newEmail, userId, ip: visitor.ip });
  };

async function demandRegistrant(
  ports: Ports,
  { userId, purpose }: MailedAccount,
  { sessionUserId, password, visitor }: RegistrantProof & { readonly visitor: Visitor },
): Promise<void> {
  if (sessionUserId === userId) return;
  if (password !== undefined) {
    return checkPassword(ports, { userId, sessionId: undefined }, { password, visitor });
  }
  throw purpose === 'change_email' ? passwordRequired() : registrantUnknown();
}

const passwordRequired = (): AppError =>
  new AppError(
    'password_required',
    'Sign in to the account that is to have this address, or send its password. If you have none here, do nothing.',
  );

const registrantUnknown = (): AppError =>
  new AppError(
    'registrant_unknown',
    'Show that you registered: sign in first, or send the password of the registration. If you did not register, send new_password, and the account begins anew.',
  );

export function demandMail({ mailQueue }: Ports): void {
  if (mailQueue.isOpen) return;
  throw new AppError(
    'mail_unavailable',
    'This installation sends no mail: its operator has not set SMTP_URL.',
  );
}
