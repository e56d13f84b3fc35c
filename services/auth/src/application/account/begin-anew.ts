import { endAccount } from '../delete-user.js';
import type { Ports } from '../ports.js';
import { invalidToken, redeem } from './mailed-token.js';
import type { LockedAccount, WantedToken } from './ports.js';

/**
 * Ends an account whose address was never verified, as a deletion does, by a token that came to the address, and
 * registers another user with the address, verified, and the new password. The account may belong to somebody who
 * does not read this mailbox, so nothing of it stays. Undefined when there is no such token. AppError
 * `invalid_or_used_token` when the address was verified meanwhile.
 */
export const beginAnew = async (
  ports: Ports,
  wanted: WantedToken,
  passwordHash: string,
): Promise<LockedAccount | undefined> =>
  redeem(ports, wanted, async (tx, { token: { email }, account }) => {
    if (email !== account.email || account.isVerified) throw invalidToken();
    // The end of one account frees the address that the next one begins with.
    await endAccount(tx, ports, account.userId);
    const userId = ports.newUserId();
    const at = ports.now().toISOString();
    await tx.handleUser(userId, { type: 'RegisterUser', data: { userId, email, at } });
    await tx.handleUser(userId, { type: 'VerifyEmail', data: { at } });
    await tx.passwords.save(userId, passwordHash);
  });
