import type { NewMail } from './mail/ports.js';
import type { Ports } from './ports.js';
import type { Tables } from './unit-of-work.js';

/**
 * Queues a mail that somebody asks for, and drops it silently where the network of who asks has asked for five in the
 * last hour or ten in the last day to one mailbox, by whichever of its addresses, its user for ten of the kind in the
 * last day, or all together for twenty of the kind to the address in ten minutes; over all replicas. The work is the
 * same whether the address has an account or not. AppError `unauthenticated` for a user who is gone.
 */
export async function askForMail({ unitOfWork, now }: Ports, mail: NewMail): Promise<void> {
  await unitOfWork.inTransaction(async (tx) => queueMail(tx, mail, now()));
}

/** Queues the mail in a transaction of the caller's. */
export async function queueMail(
  { mails }: Pick<Tables, 'mails'>,
  mail: NewMail,
  at: Date,
): Promise<void> {
  if (await mails.admitAsked(mail)) await mails.add(mail, at);
}
