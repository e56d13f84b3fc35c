import { randomUUID } from 'node:crypto';
import { statement } from '@junction/eventsourcing/postgres';
import type { KeyRing, RingColumn } from '@junction/vault';
import type pg from 'pg';
import type { OwnedApiKey } from '../../../application/api-key/ports.js';
import {
  type AccountChange,
  type AccountChanges,
  type AccountChangeTable,
  type FoundChange,
  type LostAddress,
  UNDO_MS,
  type UndoPreview,
} from '../../../application/undo/ports.js';
import { factorState, openState, restoreFactors, sealState } from '../factor-state.js';

const LISTED_MAX = 100;
const ENDED_MAX = 1_000;

export const postgresAccountChanges = (pool: pg.Pool): AccountChanges => ({
  async keepToken({ mailId, changeId, tokenHash }) {
    const link = { mail_id: mailId, change_id: changeId, token_hash: tokenHash };
    return (await saveToken(pool, link)).rows[0];
  },

  async deletionAt(email) {
    return (await findDeletion(pool, { email })).rows[0];
  },

  async find({ tokenHash, now }) {
    const { rows } = await listSince(pool, { token_hash: tokenHash, now });
    const [first] = rows;
    if (first === undefined) return undefined;
    const { openUntil, mayEndAtOnce } = first;
    const changes = rows.map(({ kind, changedAt }) => ({ kind, changedAt }));
    return { changes, openUntil, mayEndAtOnce };
  },

  async deleteEnded(now) {
    await purgeChanges(pool, { now });
  },
});

export const accountChangeTable = (tx: pg.ClientBase, ring: KeyRing): AccountChangeTable => ({
  async add({ userId, kind, at, email, keyId, isLinked }) {
    const changeId = randomUUID();
    const place = placeOfState(changeId);
    const state = isLinked
      ? sealState(ring, await factorState(tx, userId), { userId, place })
      : undefined;
    await insertChange(tx, {
      change_id: changeId,
      user_id: userId,
      kind,
      changed_at: at,
      email,
      key_id: keyId ?? null,
      state_sealed: state ?? null,
    });
    return changeId;
  },

  async find({ tokenHash, now }) {
    return (await findChange(tx, { token_hash: tokenHash, now })).rows[0];
  },

  async prolong(userId, now, until) {
    return (await prolongChanges(tx, { user_id: userId, now, until })).rows;
  },

  async restoreFactors({ changeId, userId }) {
    // A change that has a token was mailed, so its state is there.
    const { rows } = await findState(tx, { change_id: changeId });
    const [{ state } = { state: Buffer.alloc(0) }] = rows;
    const kept = { userId, place: placeOfState(changeId) };
    return restoreFactors(tx, userId, openState(ring, state, kept));
  },

  async apiKeysSince({ userId, place }) {
    return (await keysSince(tx, { user_id: userId, place })).rows;
  },

  async deleteSince({ userId, place }) {
    await deleteChanges(tx, { user_id: userId, place });
  },
});

const placeOfState = (changeId: string): string => `account_changes/state_sealed/${changeId}`;

export const accountStateColumn: RingColumn = {
  table: 'account_changes',
  column: 'state_sealed',
  key: 'change_id',
  keyType: 'uuid',
  place: placeOfState,
};

const UNDO = `interval '${UNDO_MS / 1_000} seconds'`;
const COUNTS = `coalesce(wanted.counts_until, wanted.changed_at + ${UNDO}) > :now`;
/** Whether no change before this one took an address that the account can have back. */
const MAY_END_AT_ONCE = `not exists (
         select from account_changes e where e.user_id = wanted.user_id and e.kind = 'email_changed'
            and e.place < wanted.place) as "mayEndAtOnce"`;
/** The change of a token. A version before this one knows the token of the first mail about it alone. */
const WANTED = `account_changes wanted join users u using (user_id)
 where wanted.change_id in (select change_id from account_changes where token_hash = :token_hash
                            union all
                            select change_id from change_links where token_hash = :token_hash)
   and ${COUNTS}`;

const saveToken = statement<Pick<UndoPreview, 'mayEndAtOnce'>>(`
with wanted as (
  update account_changes set token_hash = coalesce(token_hash, :token_hash)
   where change_id = :change_id returning change_id, user_id, place
), link as (
  insert into change_links (mail_id, change_id, token_hash)
  select :mail_id, change_id, :token_hash from wanted
  on conflict (mail_id) do update set token_hash = excluded.token_hash
)
select ${MAY_END_AT_ONCE} from wanted`);

const listSince = statement<AccountChange & Omit<UndoPreview, 'changes'>>(`
select later.kind, later.changed_at as "changedAt", found.*
  from (select wanted.user_id, wanted.place, u.closed_at + ${UNDO} as "openUntil", ${MAY_END_AT_ONCE}
          from ${WANTED}) found
       join account_changes later on later.user_id = found.user_id and later.place >= found.place
 order by later.place limit ${LISTED_MAX}`);

const findDeletion = statement<{ changeId: string; createdAt: Date }>(`
select change_id as "changeId", changed_at as "createdAt"
  from users u join account_changes c using (user_id)
 where u.email = :email and closed_at is not null and kind = 'account_deleted'
 order by place desc limit 1`);

const prolongChanges = statement<LostAddress>(`
with prolonged as (
  update account_changes wanted set counts_until = :until
   where user_id = :user_id and ${COUNTS} returning change_id, email, place, kind, state_sealed
)
select distinct on (email) change_id as "changeId", email
  from prolonged where kind = 'email_changed' and state_sealed is not null
 order by email, place`);

const purgeChanges = statement(`
delete from account_changes where change_id in (
  select change_id from account_changes
   where changed_at <= :now::timestamptz - ${UNDO} and coalesce(counts_until, :now) <= :now
   order by changed_at limit ${ENDED_MAX} for update skip locked)`);

const insertChange = statement(`
insert into account_changes (change_id, user_id, kind, changed_at, email, key_id, state_sealed)
values (:change_id, :user_id, :kind, :changed_at, :email, :key_id, :state_sealed)`);

const findChange = statement<FoundChange>(`
select wanted.change_id as "changeId", wanted.place, wanted.user_id as "userId", wanted.email,
       ${MAY_END_AT_ONCE}
  from ${WANTED}`);

const findState = statement<{ state: Buffer }>(
  'select state_sealed as state from account_changes where change_id = :change_id',
);

const keysSince = statement<OwnedApiKey>(`
select key_id as "keyId", version from api_keys
 where user_id = :user_id and key_id in (
   select key_id from account_changes where user_id = :user_id and place >= :place)
 order by key_id`);

const deleteChanges = statement(
  'delete from account_changes where user_id = :user_id and place >= :place',
);
