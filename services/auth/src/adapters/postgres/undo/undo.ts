import { randomUUID } from 'node:crypto';
import { statement } from '@junction/eventsourcing/postgres';
import type { KeyRing, RingColumn } from '@junction/vault';
import type pg from 'pg';
import type { OwnedApiKey } from '../../../application/api-key/ports.js';
import type {
  AccountChange,
  AccountChanges,
  AccountChangeTable,
  FoundChange,
} from '../../../application/undo/ports.js';
import { factorState, openState, restoreFactors, sealState } from '../factor-state.js';

const LISTED_MAX = 100;
const ENDED_MAX = 1_000;

export const postgresAccountChanges = (pool: pg.Pool): AccountChanges => ({
  async keepToken(changeId, tokenHash) {
    const { rowCount } = await saveToken(pool, { change_id: changeId, token_hash: tokenHash });
    return rowCount === 1;
  },

  async find({ tokenHash, since }) {
    return (await listSince(pool, { token_hash: tokenHash, since })).rows;
  },

  async deleteEnded(before) {
    await purgeChanges(pool, { before });
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

  async find({ tokenHash, since }) {
    return (await findChange(tx, { token_hash: tokenHash, since })).rows[0];
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

const saveToken = statement(
  'update account_changes set token_hash = :token_hash where change_id = :change_id',
);

const listSince = statement<AccountChange>(`
select later.kind, later.changed_at as "changedAt"
  from account_changes wanted
       join account_changes later
         on later.user_id = wanted.user_id and later.place >= wanted.place
 where wanted.token_hash = :token_hash and wanted.changed_at > :since
 order by later.place limit ${LISTED_MAX}`);

const purgeChanges = statement(`
delete from account_changes where change_id in (
  select change_id from account_changes where changed_at <= :before
   order by changed_at limit ${ENDED_MAX} for update skip locked)`);

const insertChange = statement(`
insert into account_changes (change_id, user_id, kind, changed_at, email, key_id, state_sealed)
values (:change_id, :user_id, :kind, :changed_at, :email, :key_id, :state_sealed)`);

const findChange = statement<FoundChange>(`
select change_id as "changeId", place, user_id as "userId", email
  from account_changes where token_hash = :token_hash and changed_at > :since`);

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
