import { statement } from '@junction/eventsourcing/postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import type { OwnedTrouble } from '../../../application/trouble/ports.js';

const DUE_MAX = 100;
const PURGED_MAX = 1_000;

export const postgresTroubles = (pool: pg.Pool, ring: KeyRing) => ({
  /** Lists the troubles of a user, the newest first; those that are over may be among them. */
  async of(userId: string) {
    return (await listTroubles(pool, { user_ids: [userId] })).rows.map(opened(ring));
  },

  /** Some of the users whom a mail has to tell of something at that moment. */
  async due(now: Date) {
    return (await findDue(pool, { now })).rows.map(({ userId }) => userId);
  },

  /** Deletes those that are over since before that moment. */
  async purge(before: Date) {
    await purgeOver(pool, { before });
  },
});

export const troubleTable = (tx: pg.ClientBase, ring: KeyRing) => ({
  /** Locks the accounts of those of these users who have an address here, and returns their ids. */
  async lockUsers(userIds: readonly string[]) {
    return (await lockUsers(tx, { user_ids: userIds })).rows.map(({ userId }) => userId);
  },

  async ofUsers(userIds: readonly string[]) {
    return (await listTroubles(tx, { user_ids: userIds })).rows.map(opened(ring));
  },

  /** Inserts them, or replaces what was known of them. */
  async save(troubles: readonly OwnedTrouble[]) {
    for (const { about, userId, name, mailedAt, mailAt, ...trouble } of troubles) {
      const sealed = name === undefined ? null : Buffer.from(name);
      await saveTrouble(tx, {
        ...trouble,
        about,
        user_id: userId,
        name_sealed: sealed && sealWithRing(ring, sealed, placeOf(about)),
        mailed_at: mailedAt,
        mail_at: mailAt,
      });
    }
  },
});

interface TroubleRow extends Omit<OwnedTrouble, 'name'> {
  readonly sealed: Buffer | null;
}

const opened =
  (ring: KeyRing) =>
  ({ sealed, ...row }: TroubleRow): OwnedTrouble => ({
    ...row,
    ...(sealed && { name: openWithRing(ring, sealed, placeOf(row.about)).toString() }),
  });

const placeOf = (about: string): string => `troubles/name_sealed/${about}`;

export const troubleNameColumn: RingColumn = {
  table: 'troubles',
  column: 'name_sealed',
  key: 'about',
  keyType: 'text',
  place: placeOf,
};

const listTroubles = statement<TroubleRow>(`
select about, user_id as "userId", name_sealed as sealed, kind, at, mails, mailed_at as "mailedAt",
       mail_at as "mailAt"
  from troubles where user_id = any (:user_ids::uuid[]) order by at desc, about`);

const findDue = statement<{ userId: string }>(`
select user_id as "userId" from troubles where mail_at <= :now
 group by user_id order by min(mail_at) limit ${DUE_MAX}`);

const purgeOver = statement(`
delete from troubles where about in (
  select about from troubles where kind = 'over' and at < :before
   limit ${PURGED_MAX} for update skip locked)`);

// In one order, so that two never wait for each other.
const lockUsers = statement<{ userId: string }>(`
select user_id as "userId" from users
 where user_id = any (:user_ids::uuid[]) and email is not null and closed_at is null
 order by user_id for no key update`);

const saveTrouble = statement(`
insert into troubles (about, user_id, name_sealed, kind, at, mails, mailed_at, mail_at)
values (:about, :user_id, :name_sealed, :kind, :at, :mails, :mailed_at, :mail_at)
on conflict (about) do update
   set name_sealed = excluded.name_sealed, kind = excluded.kind, at = excluded.at, mails = excluded.mails,
       mailed_at = excluded.mailed_at, mail_at = excluded.mail_at`);
