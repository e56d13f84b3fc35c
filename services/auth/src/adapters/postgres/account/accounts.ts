import { type PostgresEventStore, statement } from '@junction/eventsourcing/postgres';
import type { KeyRing, Vault } from '@junction/vault';
import type pg from 'pg';
import type {
  Accounts,
  AccountTable,
  LockedAccount,
  PasswordTable,
  User,
} from '../../../application/account/ports.js';
import { isEventOf } from '../../../application/handle-commands.js';
import { streamOf } from '../../../application/streams.js';
import type { AuthEvent } from '../../../domain/auth-event.js';
import { mailedTokens } from './mailed-tokens.js';

const CLOSED_MAX = 100;

const USER = `user_id as id, email, origin, email_verified_at as "emailVerifiedAt", role`;

export const postgresAccounts = (
  pool: pg.Pool,
  store: PostgresEventStore<AuthEvent>,
  ring: KeyRing,
): Accounts => ({
  ...mailedTokens(pool, ring),

  async history(userId) {
    const { history } = await store.load(streamOf.user(userId));
    return history.filter(isEventOf('user'));
  },

  async passwordHash(userId) {
    const { rows } = await findPasswordHash(pool, { user_id: userId });
    return rows[0]?.hash;
  },

  async closeFirstSteps(userId) {
    await closeFirstSteps(pool, { user_id: userId });
  },

  ...accountReads(pool),
});

const accountReads = (
  pool: pg.Pool,
): Omit<Accounts, 'history' | 'passwordHash' | 'closeFirstSteps' | 'keepToken' | 'mailedTo'> => ({
  async find(userId) {
    return (await findUser(pool, { user_id: userId })).rows[0];
  },

  async idOf(email) {
    return (await findId(pool, { email })).rows[0]?.id;
  },

  async openAt(email) {
    return (await findOpen(pool, { email })).rows[0]?.id;
  },

  async closedBy(moment) {
    return (await findClosed(pool, { moment })).rows.map(({ id }) => id);
  },

  async isTaken(email, userId) {
    const { rowCount } = await findHolders(pool, { email, user_id: userId ?? null });
    return rowCount !== 0;
  },

  async credential(email) {
    return (await findCredential(pool, { email })).rows[0];
  },
});

export const accountTable = (tx: pg.ClientBase, vault: Vault): AccountTable => ({
  async lock(userId) {
    return (await lockUser(tx, { user_id: userId })).rows[0];
  },

  async lockEvenClosed(userId) {
    return (await lockEvenClosed(tx, { user_id: userId })).rows[0];
  },

  async close(userId) {
    await closeAccount(tx, { user_id: userId });
  },

  shredKey: async (userId) => vault.shred(userId, tx),
});

export const passwordTable = (tx: pg.ClientBase): PasswordTable => ({
  async save(userId, hash) {
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

const findCredential = statement<{ userId: string; passwordHash: string }>(
  `
select user_id as "userId", hash as "passwordHash"
  from users join passwords using (user_id) where email = :email`,
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

const closeFirstSteps = statement(`
insert into first_steps_closed (user_id) select user_id from users where user_id = :user_id
on conflict do nothing`);

const findPasswordHash = statement<{ hash: string }>(
  'select hash from passwords where user_id = :user_id',
);

const savePassword = statement(`
insert into passwords (user_id, hash) values (:user_id, :hash)
on conflict (user_id) do update set hash = excluded.hash`);
