import { randomUUID } from 'node:crypto';
import { statement } from '@junction/eventsourcing/postgres';
import { type Check, problem } from '@junction/operations';
import { inWords } from '@junction/service';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import { mailboxOf } from '../../../application/mail/mailbox-of.js';
import type {
  MailKind,
  NewMail,
  QueuedMail,
  Recipient,
  UnsentMail,
} from '../../../application/mail/ports.js';
import { accountGone } from '../../../application/me.js';
import { type Bound, boundOf, boundsOfNetworks, clear, type Limit, raise } from '../counts.js';
import { isUserGone } from '../violation.js';

const CLAIMED_MAX = 10;

const IN_AN_HOUR: Limit = { points: 5, windowS: 3_600 };
const IN_A_DAY: Limit = { points: 10, windowS: 24 * 3_600 };

/**
 * Mails of a kind that all networks together have sent to an address. Whoever asks for one more has had these: the link
 * to a new password is the same in them, and counts for longer than this window.
 */
const ASKED_BY_ALL: Limit = { points: 20, windowS: 600 };

/**
 * Milliseconds by which a mail is due before others, because somebody waits for it. It goes out first as long as no
 * other has waited for so long.
 */
const AHEAD_MS: Partial<Readonly<Record<MailKind, number>>> = {
  reset_password: 2 * 3_600_000,
  verify_email: 3_600_000,
  change_email: 3_600_000,
};

const boundsOf = ({ address, userId }: Recipient, counted: string): readonly Bound[] => [
  boundOf('mails-address-hour', IN_AN_HOUR, counted, address),
  boundOf('mails-address-day', IN_A_DAY, counted, address),
  ...boundsOfUser(userId, counted),
];

/** Counts of a stranger are never those of the owner, except for floods. */
const boundsOfAsked = ({ kind, address, userId, ip }: NewMail): readonly Bound[] => [
  boundOf('mails-asked', ASKED_BY_ALL, kind, address),
  ...boundsOfNetworks('mails-network-hour', IN_AN_HOUR, ip, mailboxOf(address)),
  ...boundsOfNetworks('mails-network-day', IN_A_DAY, ip, mailboxOf(address)),
  ...boundsOfUser(userId, kind),
];

const boundsOfKnown = ({ kind, address }: NewMail): readonly Bound[] => [
  boundOf('mails-known', ASKED_BY_ALL, kind, address),
];

const boundsOfUser = (userId: string | undefined, counted: string): readonly Bound[] =>
  userId === undefined ? [] : [boundOf('mails-user-day', IN_A_DAY, counted, userId)];

interface MailQueueOptions {
  readonly pool: pg.Pool;
  readonly ring: KeyRing;
  /** Whether mails can be sent at all. */
  readonly isOpen: boolean;
}

interface MailRow extends Pick<QueuedMail, 'mailId' | 'kind' | 'createdAt'> {
  readonly sealed: Buffer;
  readonly userId: string | null;
  readonly changeId: string | null;
}

/** A mail that is claimed and not removed is due again a minute later: its sender was killed. */
export const postgresMailQueue = ({ pool, ring, isOpen }: MailQueueOptions) => ({
  isOpen,

  /** Some that are due; nobody else is given them for a minute. */
  async claim(now: Date) {
    const { rows } = await claimMails(pool, { now });
    return rows.map(({ sealed, userId, changeId, ...mail }) => ({
      ...mail,
      address: openWithRing(ring, sealed, placeOf(mail.mailId)).toString(),
      ...(userId !== null && { userId }),
      ...(changeId !== null && { changeId }),
    }));
  },

  /** Tries this one again at that moment. */
  async postpone(mailId: string, until: Date) {
    await postponeMail(pool, { mail_id: mailId, until });
  },

  async remove(mailId: string) {
    await deleteMail(pool, { mail_id: mailId });
  },
});

/** Counts the mails that are still to be sent, with how long the oldest has been waiting. */
export async function mailBacklog(pool: pg.Pool): Promise<{ count: number; oldestS: number }> {
  const { rows } = await countMails(pool);
  return rows[0] ?? { count: 0, oldestS: 0 };
}

/** Mails wait for a minute between tries: one that has waited for longer than this is not sent. */
const STUCK_AFTER_S = 900;

/** Checks that no mail waits for long. */
export const waitingMails = (pool: pg.Pool): Check => ({
  name: 'mails',
  needs: ['migrations', 'mail'],
  remedy: 'Ask again.',
  async look() {
    const { count, oldestS } = await mailBacklog(pool);
    if (oldestS <= STUCK_AFTER_S) return 'None waits for long.';
    const mails = count === 1 ? '1 mail waits' : `${count} mails wait`;
    const found = `${mails} to be sent, the oldest for ${inWords(oldestS)}. A mail is given up after a day.`;
    const remedy =
      'The log of auth says in lines with "mail" what the mail server answers. Mend that: what waits is then sent by itself.';
    return [problem(found, remedy)];
  },
});

export const mailTable = (
  tx: pg.ClientBase,
  { ring, isOpen, onAdded }: Omit<MailQueueOptions, 'pool'> & { readonly onAdded: () => void },
) => ({
  isOpen,

  /**
   * Counts one more mail that nobody asks for under this name. Returns false, and counts nothing, when the recipient
   * may not get it.
   */
  admit: async (recipient: Recipient, counted: string) =>
    isWithin(tx, boundsOf(recipient, counted)),

  /** The same for a mail that somebody asks for, which counts for who asks and the address together. */
  admitAsked: async (mail: NewMail) =>
    (mail.isKnown && (await isWithin(tx, boundsOfKnown(mail)))) ||
    isWithin(tx, boundsOfAsked(mail)),

  /** Forgets how many mails of these names there were. */
  readmit: async (recipient: Recipient, counted: readonly string[]) =>
    clear(
      tx,
      counted.flatMap((one) => boundsOf(recipient, one)),
    ),

  async add({ kind, address, userId, changeId }: UnsentMail, at: Date) {
    const mailId = randomUUID();
    const sealed = sealWithRing(ring, Buffer.from(address), placeOf(mailId));
    try {
      await insertMail(tx, {
        mail_id: mailId,
        kind,
        sealed,
        user_id: userId ?? null,
        change_id: changeId ?? null,
        at,
        due: new Date(at.getTime() - (AHEAD_MS[kind] ?? 0)),
      });
    } catch (error) {
      throw isUserGone(error) ? accountGone(error) : error;
    }
    onAdded();
  },

  /** Deletes the mails of a kind that wait to be sent to the user. */
  async delete(userId: string, kind: QueuedMail['kind']) {
    await deleteOfKind(tx, { user_id: userId, kind });
  },
});

/** Counts one more, unless that is beyond a bound. */
async function isWithin(tx: pg.ClientBase, bounds: readonly Bound[]): Promise<boolean> {
  const standings = await raise(tx, bounds, 1);
  if (standings.every(({ used, points }) => used <= points)) return true;
  // The rows are locked until the commit, so nobody sees a count that is taken back.
  await raise(tx, bounds, -1);
  return false;
}

const placeOf = (mailId: string): string => `mails/address_sealed/${mailId}`;

export const mailAddressColumn: RingColumn = {
  table: 'mails',
  column: 'address_sealed',
  key: 'mail_id',
  keyType: 'text',
  place: placeOf,
};

const claimMails = statement<MailRow>(`
with due as (
  select mail_id, next_attempt_at as since from mails where next_attempt_at <= :now
   order by next_attempt_at limit ${CLAIMED_MAX} for update skip locked
), claimed as (
  update mails m set next_attempt_at = :now::timestamptz + interval '1 minute'
    from due where m.mail_id = due.mail_id
  returning m.*, due.since
)
select mail_id as "mailId", kind, address_sealed as sealed, user_id as "userId",
       change_id as "changeId", created_at as "createdAt"
  from claimed order by since`);

const postponeMail = statement(
  'update mails set next_attempt_at = :until where mail_id = :mail_id',
);

const deleteMail = statement('delete from mails where mail_id = :mail_id');

const countMails = statement<{ count: number; oldestS: number }>(`
select count(*)::int as count,
       coalesce(greatest(0, extract(epoch from now() - min(created_at))), 0)::float8 as "oldestS"
  from mails`);

const insertMail = statement(`
insert into mails (mail_id, kind, address_sealed, user_id, change_id, created_at, next_attempt_at)
values (:mail_id, :kind, :sealed, :user_id, :change_id, :at, :due)`);

const deleteOfKind = statement('delete from mails where user_id = :user_id and kind = :kind');
