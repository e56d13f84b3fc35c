import { planMail } from '../../domain/trouble/trouble.js';
import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';

/**
 * Queues the mails about troubles that are due, each to a verified address whose user wants them. A mail beyond the
 * bounds of the address is left out: the next day's tells the same.
 */
export const queueTroubleMails =
  ({ unitOfWork, troubles, now }: Pick<Ports, 'unitOfWork' | 'troubles' | 'now'>) =>
  async (): Promise<void> => {
    for (const userId of await troubles.due(now())) {
      await unitOfWork.inTransaction(async (tx) => queueMail(tx, userId, now()));
    }
  };

async function queueMail(tx: Transaction, userId: string, at: Date): Promise<void> {
  const account = await tx.accounts.lock(userId);
  if (account === undefined || account.email === null) return;
  const recipient = { address: account.email, userId };
  const canBeMailed = account.isVerified && account.wantsTroubleMails;
  const { isMailed, changed } = planMail(await tx.troubles.ofUsers([userId]), at, canBeMailed);
  await tx.troubles.save(changed);
  if (isMailed && (await tx.mails.admit(recipient, 'troubles'))) {
    await tx.mails.add({ kind: 'troubles', ...recipient }, at);
  }
}
