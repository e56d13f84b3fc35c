import { refuseOwnAddress } from '../password-rule.js';
import type { Ports, Visitor } from '../ports.js';
import { queueMail } from '../queue-mail.js';
import { emailTaken } from './email-taken.js';

export interface RegisterRequest {
  readonly email: string;
  readonly password: string;
  readonly visitor: Visitor;
}

/** Opens an account. AppError `invalid_request`, `email_taken`, `too_many_attempts`, `too_busy`. */
export const register =
  ({ accounts, limits, passwords, unitOfWork, newUserId, now }: Ports) =>
  async ({
    email,
    password,
    visitor,
  }: RegisterRequest): Promise<{ readonly id: string; readonly email: string }> => {
    refuseOwnAddress('password', password, email);
    if (await limits.register(visitor, async () => accounts.isTaken(email))) throw emailTaken();
    const userId = newUserId();
    const passwordHash = await passwords.hash(password);
    const at = now();
    await unitOfWork.inTransaction(async (tx) => {
      const data = { userId, email, at: at.toISOString() };
      await tx.handleUser(userId, { type: 'RegisterUser', data });
      await tx.passwords.save(userId, passwordHash);
      const mail = { kind: 'verify_email', address: email, userId, ip: visitor.ip } as const;
      if (tx.mails.isOpen) await queueMail(tx, mail, at);
    });
    return { id: userId, email };
  };
