import { randomUUID } from 'node:crypto';
import { inRetriedTransaction } from '@junction/eventsourcing-postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import type { MailQueue, QueuedMail } from '../../application/mail/ports.js';
import { type Bound, boundOf, clear, type Limit, raise } from './counts.js';
import { isOwnerGone } from './violation.js';

const CLAIMED_MAX = 10;

const OF_ADDRESS_IN_AN_HOUR: Limit = { points: 5, windowS: 3_600 };
const IN_A_DAY: Limit = { points: 10, windowS: 24 * 3_600 };

/** Mails that somebody asks for are counted together, so no way of asking brings an address more of them. */
const ASKED_FOR = 'asked_for';

type Recipient = Pick<QueuedMail, 'address' | 'userId'>;
type UnsentMail = Omit<QueuedMail, 'mailId' | 'createdAt'>;

const boundsOf = ({ address, userId }: Recipient, counted: string): readonly Bound[] => [
  boundOf('mails-address-hour', OF_ADDRESS_IN_AN_HOUR, counted, address),
  boundOf('mails-address-day', IN_A_DAY, counted, address),
  ...(userId === undefined ? [] : [boundOf('mails-user-day', IN_A_DAY, counted, userId)]),
];

/** Forgets how many of these mails there were, so that the next ones are sent. */
export const readmitMails = async (
  tx: pg.ClientBase,
  to: Recipient,
  counted: readonly string[],
): Promise<void> =>
  clear(
    tx,
    counted.flatMap((one) => boundsOf(to, one)),
  );

interface MailQueueOptions {
  readonly pool: pg.Pool;
  readonly ring: KeyRing;
  readonly isOpen: boolean;
  /** Called when there is a mail to send. */
  readonly onAdded: () => void;
}

interface MailRow {
  readonly mail_id: string;
  readonly kind: QueuedMail['kind'];
  readonly address_sealed: Buffer;
  readonly user_id: string | null;
  readonly change_id: string | null;
  readonly created_at: Date;
}

/** A mail that is claimed and not removed is due again a minute later: its sender was killed. */
export const postgresMailQueue = ({
  pool,
  ring,
  isOpen,
  onAdded,
}: MailQueueOptions): MailQueue => ({
  isOpen,

  async add(mail, at) {
    try {
      await inRetriedTransaction(pool, async (tx) => {
        if (await admitMail(tx, mail, ASKED_FOR)) await insertMail(tx, ring, mail, at);
      });
    } catch (error) {
      if (!isOwnerGone(error, 'mails_user_id_fkey')) throw error;
    }
    onAdded();
  },

  async claim(now) {
    const { rows } = await pool.query<MailRow>(
      `update mails set next_attempt_at = $1::timestamptz + interval '1 minute'
        where mail_id in (
          select mail_id from mails where next_attempt_at <= $1
           order by next_attempt_at limit ${CLAIMED_MAX} for update skip locked
        )
        returning mail_id, kind, address_sealed, user_id, change_id, created_at`,
      [now],
    );
    return rows.map((row) => ({
      mailId: row.mail_id,
      kind: row.kind,
      address: openWithRing(ring, row.address_sealed, placeOf(row.mail_id)).toString(),
      createdAt: row.created_at,
      ...(row.user_id !== null && { userId: row.user_id }),
      ...(row.change_id !== null && { changeId: row.change_id }),
    }));
  },

  async postpone(mailId, until) {
    await pool.query('update mails set next_attempt_at = $2 where mail_id = $1', [mailId, until]);
  },

  async remove(mailId) {
    await pool.query('delete from mails where mail_id = $1', [mailId]);
  },
});

/** Whether the recipient may get one more of what is counted under this name; counts it then. */
export async function admitMail(
  tx: pg.ClientBase,
  recipient: Recipient,
  counted: string,
): Promise<boolean> {
  const bounds = boundsOf(recipient, counted);
  const standings = await raise(tx, bounds, 1);
  if (standings.every(({ used, points }) => used <= points)) return true;
  // The rows are locked until the commit, so nobody sees a count that is taken back.
  await raise(tx, bounds, -1);
  return false;
}

export async function insertMail(
  tx: pg.ClientBase,
  ring: KeyRing,
  { kind, address, userId, changeId }: UnsentMail,
  at: Date,
): Promise<void> {
  const mailId = randomUUID();
  const sealed = sealWithRing(ring, Buffer.from(address), placeOf(mailId));
  await tx.query(
    `insert into mails
       (mail_id, kind, address_sealed, user_id, change_id, created_at, next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, $6)`,
    [mailId, kind, sealed, userId ?? null, changeId ?? null, at],
  );
}

const placeOf = (mailId: string): string => `mails/address_sealed/${mailId}`;

export const mailAddressColumn: RingColumn = {
  table: 'mails',
  column: 'address_sealed',
  key: 'mail_id',
  keyType: 'text',
  place: placeOf,
};
