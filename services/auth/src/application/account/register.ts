import { userDecider } from '../../domain/user/decider.js';
import { askForMail } from '../mail/queue-mail.js';
import type { Ports, Visitor } from '../ports.js';
import { streamOf } from '../streams.js';
import { emailTaken } from './email-taken.js';
import { refuseOwnAddress } from './password-rule.js';

export interface RegisterRequest {
  readonly email: string;
  readonly password: string;
  readonly visitor: Visitor;
}

/** Opens an account. AppError `invalid_request`, `email_taken`, `too_many_attempts`, `too_busy`. */
export const register =
  (ports: Ports) =>
  async ({
    email,
    password,
    visitor,
  }: RegisterRequest): Promise<{ readonly id: string; readonly email: string }> => {
    const { accounts, limits, mailQueue, passwords, newUserId, now } = ports;
    refuseOwnAddress('password', password, email);
    if (await limits.register(visitor, async () => accounts.isTaken(email))) throw emailTaken();
    const userId = newUserId();
    const data = { userId, email, at: now().toISOString() };
    const events = userDecider.decide({ type: 'RegisterUser', data }, userDecider.initialState);
    const append = { streamId: streamOf.user(userId), expected: 'none' as const, events };
    await accounts.open(append, userId, await passwords.hash(password));
    if (mailQueue.isOpen) {
      await askForMail(ports, { kind: 'verify_email', address: email, userId });
    }
    return { id: userId, email };
  };
