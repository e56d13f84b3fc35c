import type { Ports } from '../ports.js';
import type { ForeignUser } from './ports.js';

/**
 * Opens an account for the user of a trusted issuer's token, unless there is one. AppError `account_deleted`,
 * `user_of_another_origin`.
 */
export const ensureUser =
  (ports: Ports) =>
  async (accessToken: string): Promise<ForeignUser> => {
    const user = await ports.foreignTokens(accessToken);
    await admit(ports, user);
    return user;
  };

/** The same for a user whose issuer we have asked ourselves. */
export async function admit(
  { accounts, unitOfWork, now }: Ports,
  user: ForeignUser,
): Promise<void> {
  const { userId, origin } = user;
  // Requests of users who were seen before need this indexed read alone.
  if ((await accounts.find(userId))?.origin === origin) return;
  const data = { ...user, at: now().toISOString() };
  await unitOfWork.inTurn(userId, async (tx) => tx.handleUser(userId, { type: 'AdmitUser', data }));
}
