import type { NewMail } from './mail/ports.js';
import type { Ports } from './ports.js';
import type { Tables } from './unit-of-work.js';

/** Mails that somebody asks for are counted together, so no way of asking brings an address more of them. */
const ASKED_FOR = 'asked_for';

/**
 * Queues a mail that somebody asks for, and drops it silently where its address has had five mails in the last hour or
 * ten in the last day, its user has asked for ten in the last day, or the network of who asks has asked for as many to
 * one mailbox, by whichever of its addresses; over all replicas and purposes. The work is the same whether the address
 * has an account or not. AppError `unauthenticated` for a user who is gone.
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
  if (await mails.admit(mail, ASKED_FOR)) await mails.add(mail, at);
}
