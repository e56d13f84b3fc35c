import { randomUUID } from 'node:crypto';
import { inRetriedTransaction } from '@junction/eventsourcing-postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import type { MailKind, MailQueue, NewMail } from '../../application/mail/ports.js';
import { type Bound, boundOf, type Limit, raise } from './counts.js';
import { isOwnerGone } from './violation.js';

const CLAIMED_MAX = 10;

const OF_ADDRESS_IN_AN_HOUR: Limit = { points: 5, windowS: 3_600 };
const IN_A_DAY: Limit = { points: 10, windowS: 24 * 3_600 };

/** Mails that somebody asks for, to an address that may be another's. All other kinds are notices to an owner of what was done. */
const ASKED_FOR: readonly MailKind[] = ['verify_email', 'change_email', 'reset_password'];

/**
 * Mails that somebody asks for are counted together, so no way of asking brings an address more of them. A notice is counted
 * with those of its kind, so that nobody can use up its bound with other mails and then act unseen.
 */
function boundsOf({ kind, address, userId }: NewMail): readonly Bound[] {
  const counted = ASKED_FOR.includes(kind) ? 'asked_for' : kind;
  return [
    boundOf('mails-address-hour', OF_ADDRESS_IN_AN_HOUR, counted, address),
    boundOf('mails-address-day', IN_A_DAY, counted, address),
    ...(userId === undefined ? [] : [boundOf('mails-user-day', IN_A_DAY, counted, userId)]),
  ];
}

interface MailQueueOptions {
  readonly pool: pg.Pool;
  readonly ring: KeyRing;
  readonly isOpen: boolean;
  /** Called when there is a mail to send. */
  readonly onAdded: () => void;
}

interface MailRow {
  readonly mail_id: string;
  readonly kind: MailKind;
  readonly address_sealed: Buffer;
  readonly user_id: string | null;
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
      await inRetriedTransaction(pool, (tx) => add(tx, ring, mail, at));
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
        returning mail_id, kind, address_sealed, user_id, created_at`,
      [now],
    );
    return rows.map((row) => ({
      mailId: row.mail_id,
      kind: row.kind,
      address: openWithRing(ring, row.address_sealed, placeOf(row.mail_id)).toString(),
      createdAt: row.created_at,
      ...(row.user_id !== null && { userId: row.user_id }),
    }));
  },

  async postpone(mailId, until) {
    await pool.query('update mails set next_attempt_at = $2 where mail_id = $1', [mailId, until]);
  },

  async remove(mailId) {
    await pool.query('delete from mails where mail_id = $1', [mailId]);
  },
});

async function add(tx: pg.ClientBase, ring: KeyRing, mail: NewMail, at: Date): Promise<void> {
  const bounds = boundsOf(mail);
  const standings = await raise(tx, bounds, 1);
  if (standings.some(({ used, points }) => used > points)) {
    // The rows are locked until the commit, so nobody sees a count that is taken back.
    await raise(tx, bounds, -1);
    return;
  }
  const { kind, address, userId } = mail;
  const mailId = randomUUID();
  const sealed = sealWithRing(ring, Buffer.from(address), placeOf(mailId));
  await tx.query(
    `insert into mails (mail_id, kind, address_sealed, user_id, created_at, next_attempt_at)
     values ($1, $2, $3, $4, $5, $5)`,
    [mailId, kind, sealed, userId ?? null, at],
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
