import { AppError } from '@junction/errors';
import type { Credential } from './account/ports.js';
import { guessed } from './guessed.js';
import type { Caller } from './locked-account.js';
import { ownAddress } from './me.js';
import type { Ports, Visitor } from './ports.js';

/**
 * Demands the password of a user. Within a session wrong ones count for that and end it, elsewhere like a login.
 * AppError `invalid_password`, `too_many_attempts`, `account_elsewhere`.
 */
export async function checkPassword(
  ports: Ports,
  { userId, sessionId }: Caller,
  { password, visitor }: { readonly password: string; readonly visitor: Visitor },
): Promise<void> {
  const email = await ownAddress(ports, userId);
  const isRight = async () => prove(ports, email, password);
  const proved =
    sessionId === undefined
      ? await ports.limits.login({ email, visitor }, isRight)
      : await guessed(ports, { sessionId, kind: 'password', visitor }, isRight);
  if (proved?.userId === userId) return;
  throw new AppError(
    'invalid_password',
    sessionId === undefined
      ? 'The password is wrong.'
      : 'The password is wrong. The fifth wrong one ends the session.',
  );
}

/** The user whose password this is, with its hash. An unknown address takes as long to refuse as a known one. */
export async function prove(
  { accounts, passwords }: Ports,
  email: string,
  password: string,
): Promise<Credential | undefined> {
  const known = await accounts.credential(email);
  const isRight = await passwords.verify(known?.passwordHash, password);
  return isRight ? known : undefined;
}
