import type { Recovery } from '../domain/user/events.js';
import type { Transaction } from './unit-of-work.js';

interface Recovered extends Pick<Recovery, 'reason' | 'webhookIds'> {
  readonly at: string;
}

/** Closes the portals of a locked account that is its owner's again, and says which webhooks are to be disabled. */
export async function recoverUser(
  tx: Transaction,
  userId: string,
  recovered: Recovered,
): Promise<void> {
  const portalIds = await tx.portals.end(userId);
  await tx.handleUser(userId, { type: 'RecoverUser', data: { ...recovered, portalIds } });
}
