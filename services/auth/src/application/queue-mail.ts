import type { LockedAccount } from './account/ports.js';
import { mailboxOf } from './mail/mailbox-of.js';
import type { NewMail } from './mail/ports.js';
import type { NoticeKind } from './notices.js';
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

/**
 * Counts the mail about a change, and tells whether it is within the bounds. Mails are counted by their kind, so that a
 * thief cannot use up the bound with changes of another kind and then act unseen: a change without a mail came after
 * others of its kind, and their links take it back too. Mails to an address that was never verified, which may be a
 * stranger's, are counted together, with those to other addresses of the mailbox.
 */
export const admitNotice = async (
  { mails }: Pick<Tables, 'mails'>,
  { userId, isVerified }: Pick<LockedAccount, 'userId' | 'isVerified'>,
  { address, kind }: { readonly address: string; readonly kind: NoticeKind },
): Promise<boolean> =>
  isVerified
    ? mails.admit({ address, userId }, kind)
    : mails.admit({ address: mailboxOf(address), userId }, 'unverified');
