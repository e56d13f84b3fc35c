import { type PostgresEventStore, statement } from '@junction/eventsourcing/postgres';
import type { KeyRing, Vault } from '@junction/vault';
import type pg from 'pg';
import type { Credential, LockedAccount, User } from '../../../application/account/ports.js';
import { isEventOf } from '../../../application/handle-commands.js';
import { streamOf } from '../../../application/streams.js';
import type { AuthEvent } from '../../../domain/auth-event.js';
import { HAS_FACTOR } from '../factor-state.js';
import { mailedTokens } from './mailed-tokens.js';

const CLOSED_MAX = 100;

const USER = `user_id as id, email, origin, email_verified_at as "emailVerifiedAt", role`;

export const postgresAccounts = (
  pool: pg.Pool,
  store: PostgresEventStore<AuthEvent>,
  ring: KeyRing,
) => ({
  ...mailedTokens(pool, ring),

  /** Oldest first; none for a user who is gone. */
  async history(userId: string) {
    const { history } = await store.load(streamOf.user(userId));
    return history.filter(isEventOf('user'));
  },

  /** Returns undefined when the user has no password here, or is gone. */
  async passwordHash(userId: string) {
    const { rows } = await findPasswordHash(pool, { user_id: userId });
    return rows[0]?.hash;
  },

  async closeFirstSteps(userId: string) {
    await closeFirstSteps(pool, { user_id: userId });
  },

  ...accountReads(pool),
});

const accountReads = (pool: pg.Pool) => ({
  async find(userId: string) {
    return (await findUser(pool, { user_id: userId })).rows[0];
  },

  /** Returns the id of the user who has the address, also of one whose account is closed. */
  async idOf(email: string) {
    return (await findId(pool, { email })).rows[0]?.id;
  },

  /** Returns the id of the user whose account has the address, and is open. */
  async openAt(email: string) {
    return (await findOpen(pool, { email })).rows[0]?.id;
  },

  /** Returns some of the users whose accounts were closed by this moment. */
  async closedBy(moment: Date) {
    return (await findClosed(pool, { moment })).rows.map(({ id }) => id);
  },

  /**
   * Whether somebody has the address, or had it, verified, until a change of it that can still be taken back; then for
   * another than this user.
   */
  async isTaken(email: string, userId?: string) {
    const { rowCount } = await findHolders(pool, { email, user_id: userId ?? null });
    return rowCount !== 0;
  },

  async credential(email: string) {
    return (await findCredential(pool, { email })).rows[0];
  },
});

export const accountTable = (tx: pg.ClientBase, vault: Vault) => ({
  /**
   * Locks an account until the transaction ends, against other changes and against logins: a login that has shown the
   * password before waits, and goes on after the change. Undefined for a user who is gone, or whose account is closed.
   */
  async lock(userId: string) {
    return (await lockUser(tx, { user_id: userId })).rows[0];
  },

  /** The same, also of an account that is closed. */
  async lockEvenClosed(userId: string) {
    return (await lockEvenClosed(tx, { user_id: userId })).rows[0];
  },

  /** Deletes what opens the account, and what its user would be told of: the account is closed. */
  async close(userId: string) {
    await closeAccount(tx, { user_id: userId });
  },

  /** Destroys the key that seals the personal fields of the user's events, and answers kept for repeats. */
  async shred(userId: string) {
    await deleteAnswers(tx, { user_id: userId });
    await vault.shred(userId, tx);
  },
});

export const passwordTable = (tx: pg.ClientBase) => ({
  /** Inserts a hash, or replaces the one before. */
  async save(userId: string, hash: string) {
    await savePassword(tx, { user_id: userId, hash });
  },
});

const findUser = statement<User>(
  `select ${USER} from users where user_id = :user_id`,
  'auth/find-user',
);

const findId = statement<{ id: string }>('select user_id as id from users where email = :email');

const findOpen = statement<{ id: string }>(
  'select user_id as id from users where email = :email and closed_at is null',
);

const findHolders = statement(`
select from users where email = :email
union all
select from account_changes
 where email = :email and kind = 'email_changed' and user_id is distinct from :user_id`);

const findCredential = statement<Credential>(
  `
select user_id as "userId", hash as "passwordHash", ${HAS_FACTOR} as "hasFactor"
  from users u join passwords using (user_id) where email = :email`,
  'auth/credential',
);

const LOCKED = `
select user_id as "userId", email, email_verified_at is not null as "isVerified",
       trouble_mails as "wantsTroubleMails", closed_at as "closedAt"
  from users where user_id = :user_id`;

const lockUser = statement<LockedAccount>(`${LOCKED} and closed_at is null for update`);

const lockEvenClosed = statement<LockedAccount & { readonly closedAt: Date | null }>(
  `${LOCKED} for update`,
);

const closeAccount = statement(`
with hash as (delete from passwords where user_id = :user_id),
     links as (delete from mailed_tokens where user_id = :user_id),
     waiting as (delete from mails
                  where user_id = :user_id and kind in ('verify_email', 'change_email', 'troubles')),
     logins as (delete from pending_logins where user_id = :user_id)
delete from troubles where user_id = :user_id`);

const findClosed = statement<{ id: string }>(`
select user_id as id from users where closed_at <= :moment
 order by closed_at limit ${CLOSED_MAX}`);

const deleteAnswers = statement('delete from idempotency_keys where user_id = :user_id');

const closeFirstSteps = statement(`
insert into first_steps_closed (user_id) select user_id from users where user_id = :user_id
on conflict do nothing`);

const findPasswordHash = statement<{ hash: string }>(
  'select hash from passwords where user_id = :user_id',
);

const savePassword = statement(`
insert into passwords (user_id, hash) values (:user_id, :hash)
on conflict (user_id) do update set hash = excluded.hash`);
