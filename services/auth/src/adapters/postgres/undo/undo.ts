import { randomUUID } from 'node:crypto';
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
    const { rowCount } = await pool.query(
      'update account_changes set token_hash = $2 where change_id = $1',
      [changeId, tokenHash],
    );
    return rowCount === 1;
  },

  async find({ tokenHash, since }) {
    const { rows } = await pool.query<AccountChange>(
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

  async deleteEnded(before) {
    await pool.query(
      `delete from account_changes where change_id in (
         select change_id from account_changes where changed_at <= $1
          order by changed_at limit ${ENDED_MAX} for update skip locked)`,
      [before],
    );
  },
});

export const accountChangeTable = (tx: pg.ClientBase, ring: KeyRing): AccountChangeTable => ({
  async add({ userId, kind, at, email, keyId, isLinked }) {
    const changeId = randomUUID();
    const place = placeOfState(changeId);
    const state = isLinked
      ? sealState(ring, await factorState(tx, userId), { userId, place })
      : undefined;
    await tx.query(
      `insert into account_changes (change_id, user_id, kind, changed_at, email, key_id, state_sealed)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [changeId, userId, kind, at, email, keyId, state],
    );
    return changeId;
  },

  async find({ tokenHash, since }) {
    const { rows } = await tx.query<FoundChange>(
      `select change_id as "changeId", place, user_id as "userId", email
         from account_changes where token_hash = $1 and changed_at > $2`,
      [tokenHash, since],
    );
    return rows[0];
  },

  async restoreFactors({ changeId, userId }) {
    // A change that has a token was mailed, so its state is there.
    const { rows } = await tx.query<{ state: Buffer }>(
      'select state_sealed as state from account_changes where change_id = $1',
      [changeId],
    );
    const [{ state } = { state: Buffer.alloc(0) }] = rows;
    const kept = { userId, place: placeOfState(changeId) };
    return restoreFactors(tx, userId, openState(ring, state, kept));
  },

  async apiKeysSince({ userId, place }) {
    const { rows } = await tx.query<OwnedApiKey>(
      `select key_id as "keyId", version from api_keys
        where user_id = $1 and key_id in (
          select key_id from account_changes where user_id = $1 and place >= $2)
        order by key_id`,
      [userId, place],
    );
    return rows;
  },

  async deleteSince({ userId, place }) {
    await tx.query('delete from account_changes where user_id = $1 and place >= $2', [
      userId,
      place,
    ]);
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
