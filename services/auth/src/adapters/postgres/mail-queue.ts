import { randomUUID } from 'node:crypto';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import type { MailKind, MailQueue } from '../../application/mail/ports.js';
import { isOwnerGone } from './violation.js';

const CLAIMED_MAX = 10;

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

  async add({ kind, address, userId }, at) {
    const mailId = randomUUID();
    const sealed = sealWithRing(ring, Buffer.from(address), placeOf(mailId));
    try {
      await pool.query(
        `insert into mails (mail_id, kind, address_sealed, user_id, created_at, next_attempt_at)
         values ($1, $2, $3, $4, $5, $5)`,
        [mailId, kind, sealed, userId ?? null, at],
      );
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

const placeOf = (mailId: string): string => `mails/address_sealed/${mailId}`;

export const mailAddressColumn: RingColumn = {
  table: 'mails',
  column: 'address_sealed',
  key: 'mail_id',
  keyType: 'text',
  place: placeOf,
};
