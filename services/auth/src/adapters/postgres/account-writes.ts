import { type EventStore, retryWhenMoved, type StreamAppend } from '@junction/eventsourcing';
import {
  inRetriedTransaction,
  inTurn,
  type PostgresEventStore,
} from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { emailTaken } from '../../application/account/email-taken.js';
import { accountGone } from '../../application/account/me.js';
import type {
  Accounts,
  ChangedAccount,
  MailedAccount,
  Successor,
  TakenToken,
  WantedToken,
} from '../../application/account/ports.js';
import { streamOf } from '../../application/streams.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import type { UserEvent } from '../../domain/user/events.js';
import { type AccountNotices, type Standing, standingOf } from './account-notices.js';
import { closeWithin, ownedStreams } from './close-account.js';
import { isOwnerGone, isTakenEmail } from './violation.js';

export interface AccountsOptions {
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore<AuthEvent>;
  readonly vault: Vault;
  readonly notices: AccountNotices;
  /** Called when events were appended in a transaction of ours. */
  readonly committed: () => void;
}

type AccountWrites = Pick<
  Accounts,
  'keepToken' | 'mailedTo' | 'redeem' | 'beginAnew' | 'changePassword' | 'change'
>;

/** Changes of an account after its beginning and before its end. */
export const accountWrites = (options: AccountsOptions): AccountWrites => ({
  keepToken: async (token) => keepToken(options.pool, token),

  mailedTo: async (wanted) => mailedTo(options.pool, wanted),

  redeem: async ({ passwordHash, ...wanted }, decide) =>
    changing(options, wanted.tokenHash.toString('base64url'), async (tx) => {
      const taken = await takeToken(tx, wanted);
      if (taken === undefined) return undefined;
      const account = await accountOf(options.store, tx, taken.userId);
      const token = account && { ...account, ...taken };
      if (token && passwordHash !== undefined) await setPassword(tx, token.userId, passwordHash);
      return token && { account: token, appends: decide(token) };
    }),

  beginAnew: async (wanted, decide) =>
    changing(options, wanted.tokenHash.toString('base64url'), async (tx) => {
      const taken = await takeToken(tx, wanted);
      const account = taken && (await accountOf(options.store, tx, taken.userId));
      if (taken === undefined || account === undefined) return undefined;
      const token = { ...account, ...taken };
      await succeed(options, tx, token.userId, decide(token));
      return { account: token, appends: [] };
    }),

  async changePassword(userId, passwordHash, decide) {
    const changed = await changing(options, userId, async (tx) => {
      const account = await accountOf(options.store, tx, userId);
      if (account === undefined) return undefined;
      await setPassword(tx, userId, passwordHash);
      return { account, appends: decide(account) };
    });
    if (changed === undefined) throw accountGone();
    return changed;
  },

  async change(userId, decide) {
    const changed = await changing(options, userId, async (tx) => {
      const account = await accountOf(options.store, tx, userId);
      return account && { account, appends: decide(account) };
    });
    if (changed === undefined) throw accountGone();
  },
});

/** An account whose row is locked. */
interface LockedAccount extends ChangedAccount {
  readonly before: Standing;
}

interface Change<A> {
  readonly account: A;
  readonly appends: readonly StreamAppend<AuthEvent>[];
}

/**
 * Runs `work`, appends its events and queues the mails about them in a transaction, in the turn of the user or of
 * the token that names the user. A log-out may come first all the same: `work` then runs again, on the account as it
 * is after that.
 */
export async function changing<A extends LockedAccount>(
  { pool, store, notices, committed }: AccountsOptions,
  turn: string,
  work: (tx: pg.PoolClient) => Promise<Change<A> | undefined>,
): Promise<A | undefined> {
  try {
    const append = async (tx: pg.PoolClient) => {
      const change = await work(tx);
      if (change && change.appends.length > 0) {
        await store.within(tx).append(change.appends);
        const events = change.appends.flatMap((append) => append.events);
        await notices.add(tx, change.account.before, events);
      }
      return change?.account;
    };
    const changed = await inTurn(turn, () =>
      retryWhenMoved(() => inRetriedTransaction(pool, append)),
    );
    committed();
    notices.announce();
    return changed;
  } catch (error) {
    throw isTakenEmail(error) ? emailTaken(error) : error;
  }
}

/** With the user's row locked: a login that has shown the password before waits, and goes on after the change. */
export async function accountOf(
  store: PostgresEventStore<AuthEvent>,
  tx: pg.PoolClient,
  userId: string,
): Promise<LockedAccount | undefined> {
  const before = await standingOf(tx, userId, 'for update');
  if (before === undefined) return undefined;
  // A stream holds the events of its own aggregate only, so a narrower view of the store is safe.
  const users = store.within(tx) as unknown as EventStore<UserEvent>;
  const { history, version } = await users.load(streamOf.user(userId));
  const owned = await ownedStreams(tx, userId);
  return { userId, currentEmail: before.email, history, version, ...owned, before };
}

const WANTED = 'token_hash = $1 and purpose = any ($2) and expires_at > $3';
const valuesOf = ({ tokenHash, purposes, now }: WantedToken) => [tokenHash, purposes, now];

async function mailedTo(pool: pg.Pool, wanted: WantedToken): Promise<MailedAccount | undefined> {
  const { rows } = await pool.query<MailedAccount>(
    `select t.user_id as "userId", t.purpose, t.email, u.email as "currentEmail",
            u.email_verified_at is not null as "isVerified"
       from mailed_tokens t join users u using (user_id) where ${WANTED}`,
    valuesOf(wanted),
  );
  return rows[0];
}

/** The end of one account frees the address that the next one begins with. */
async function succeed(
  options: AccountsOptions,
  tx: pg.PoolClient,
  endingId: string,
  { userId, opening, passwordHash, closing }: Successor,
): Promise<void> {
  await closeWithin(options, tx, endingId, closing);
  await options.store.within(tx).append([opening]);
  await insertPassword(tx, userId, passwordHash);
}

async function takeToken(tx: pg.ClientBase, wanted: WantedToken) {
  const { rows } = await tx.query<Pick<TakenToken, 'userId' | 'purpose' | 'email'>>(
    `delete from mailed_tokens where ${WANTED} returning user_id as "userId", purpose, email`,
    valuesOf(wanted),
  );
  return rows[0];
}

export const insertPassword = async (tx: pg.ClientBase, userId: string, hash: string) =>
  tx.query('insert into passwords (user_id, hash) values ($1, $2)', [userId, hash]);

/**
 * Links that were mailed before count no more, nor do logins that wait for a second factor: who began them may not be
 * who knows the new password.
 */
export async function setPassword(tx: pg.ClientBase, userId: string, hash: string): Promise<void> {
  await tx.query('update passwords set hash = $2 where user_id = $1', [userId, hash]);
  await tx.query('delete from mailed_tokens where user_id = $1', [userId]);
  await tx.query('delete from pending_logins where user_id = $1', [userId]);
  await tx.query(`delete from mails where user_id = $1 and kind = 'change_email'`, [userId]);
}

async function keepToken(
  pool: pg.Pool,
  { tokenHash, userId, purpose, expiresAt, email }: Parameters<Accounts['keepToken']>[0],
): Promise<void> {
  try {
    await pool.query(
      `insert into mailed_tokens (token_hash, user_id, purpose, expires_at, email)
       values ($1, $2, $3, $4, $5)
       on conflict (user_id, purpose) do update
         set token_hash = excluded.token_hash, expires_at = excluded.expires_at, email = excluded.email`,
      [tokenHash, userId, purpose, expiresAt, email],
    );
  } catch (error) {
    if (!isOwnerGone(error, 'mailed_tokens_user_id_fkey')) throw error;
  }
}
