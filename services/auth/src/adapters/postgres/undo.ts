import type { KeyRing } from '@junction/vault';
import type pg from 'pg';
import { NOTICES } from '../../application/mail/notices.js';
import type { AccountChange, AccountChanges, UndoneAccount } from '../../application/undo/ports.js';
import { placeOfState } from './account-notices.js';
import { type AccountsOptions, accountOf, changing, setPassword } from './account-writes.js';
import { openState, restoreFactors } from './factor-state.js';
import { readmitMails } from './mail-queue.js';

const LISTED_MAX = 100;
const ENDED_MAX = 1_000;

interface UndoOptions extends AccountsOptions {
  readonly ring: KeyRing;
}

type Wanted = Parameters<AccountChanges['find']>[0];

export const postgresAccountChanges = (options: UndoOptions): AccountChanges => ({
  async keepToken(changeId, tokenHash) {
    const { rowCount } = await options.pool.query(
      'update account_changes set token_hash = $2 where change_id = $1',
      [changeId, tokenHash],
    );
    return rowCount === 1;
  },

  async find({ tokenHash, since }) {
    const { rows } = await options.pool.query<AccountChange>(
      `select later.kind, later.changed_at as "changedAt"
         from account_changes wanted
              join account_changes later
                on later.user_id = wanted.user_id and later.place >= wanted.place
        where wanted.token_hash = $1 and wanted.changed_at > $2
        order by later.place limit ${LISTED_MAX}`,
      [tokenHash, since],
    );
    return rows;
  },

  async undo({ passwordHash, ...wanted }, decide) {
    const turn = wanted.tokenHash.toString('base64url');
    return changing(options, turn, async (tx) => {
      const found = await changeOf(tx, wanted);
      const owner = found && (await accountOf(options.store, tx, found.userId));
      // Another use of the link, or of an earlier one, may have come first until the account was locked.
      const change = owner && (await changeOf(tx, wanted));
      if (owner === undefined || change === undefined) return undefined;
      const account = { ...owner, ...(await takeBack(tx, options.ring, change)) };
      await setPassword(tx, owner.userId, passwordHash);
      return { account, appends: decide(account) };
    });
  },

  async deleteEnded(before) {
    await options.pool.query(
      `delete from account_changes where change_id in (
         select change_id from account_changes where changed_at <= $1
          order by changed_at limit ${ENDED_MAX} for update skip locked)`,
      [before],
    );
  },
});

interface ChangeRow {
  readonly changeId: string;
  readonly place: string;
  readonly userId: string;
  readonly email: string;
  readonly state: Buffer;
}

/** A change that has a token was mailed, so its state is there. */
async function changeOf(
  tx: pg.ClientBase,
  { tokenHash, since }: Wanted,
): Promise<ChangeRow | undefined> {
  const { rows } = await tx.query<ChangeRow>(
    `select change_id as "changeId", place, user_id as "userId", email, state_sealed as state
       from account_changes where token_hash = $1 and changed_at > $2`,
    [tokenHash, since],
  );
  return rows[0];
}

/** The links of this change and of later ones end: they may have gone to the address of whoever made these. */
async function takeBack(
  tx: pg.ClientBase,
  ring: KeyRing,
  { changeId, place, userId, email, state }: ChangeRow,
): Promise<Pick<UndoneAccount, 'email' | 'undoing' | 'apiKeys'>> {
  const kept = { userId, place: placeOfState(changeId) };
  const factors = await restoreFactors(tx, userId, openState(ring, state, kept));
  const current = await tx.query<{ email: string }>('select email from users where user_id = $1', [
    userId,
  ]);
  const isMoved = current.rows[0]?.email !== email;
  const { rows: apiKeys } = await tx.query<UndoneAccount['apiKeys'][number]>(
    `select key_id as "keyId", version from api_keys
      where user_id = $1 and key_id in (
        select key_id from account_changes where user_id = $1 and place >= $2)
      order by key_id`,
    [userId, place],
  );
  await tx.query('delete from account_changes where user_id = $1 and place >= $2', [userId, place]);
  // The mails about what was taken back must not leave the next change of their kind without one.
  await readmitMails(tx, { address: email, userId }, Object.keys(NOTICES));
  return { email, apiKeys, undoing: { ...factors, ...(isMoved && { email }) } };
}
