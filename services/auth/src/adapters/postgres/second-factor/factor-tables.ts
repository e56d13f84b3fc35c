import { statement } from '@junction/eventsourcing/postgres';
import { type KeyRing, openWithRing, type RingColumn } from '@junction/vault';
import type pg from 'pg';
import { invalidPasskey } from '../../../application/second-factor/add-passkey.js';
import type { StoredPasskey } from '../../../application/second-factor/ports.js';
import type { NamedFactor } from '../../../domain/user/events.js';
import { isTakenPasskey } from '../violation.js';

export const factorTable = (tx: pg.ClientBase) => ({
  /** Lists the factors of a user; an authenticator counts once it is confirmed. */
  async list(userId: string) {
    const { rows } = await listFactors(tx, { user_id: userId });
    return rows.map(
      ({ passkeyId }): NamedFactor =>
        passkeyId === null ? { factor: 'totp' } : { factor: 'passkey', passkeyId },
    );
  },
});

export const totpTable = (tx: pg.ClientBase, ring: KeyRing) => ({
  /** Finds a secret that waits for its first code, offered after this moment. */
  async findOffered(userId: string, after: Date) {
    const { rows } = await findOfferedTotp(tx, { user_id: userId, after });
    const [row] = rows;
    return row && openWithRing(ring, row.sealed, placeOfTotp(userId));
  },

  async confirm(userId: string, step: number, at: Date) {
    await confirmTotp(tx, { user_id: userId, step, at });
  },

  async delete(userId: string) {
    await deleteTotp(tx, { user_id: userId });
  },
});

export const passkeyTable = (tx: pg.ClientBase) => ({
  /** AppError `invalid_passkey` when an account has this passkey already. */
  async add({
    passkeyId,
    userId,
    credentialId,
    publicKey,
    counter,
    transports,
    name,
    createdAt,
  }: Omit<StoredPasskey, 'lastUsedAt'>) {
    try {
      await insertPasskey(tx, {
        passkey_id: passkeyId,
        user_id: userId,
        credential_id: credentialId,
        public_key: publicKey,
        counter,
        transports,
        name,
        created_at: createdAt,
      });
    } catch (error) {
      throw isTakenPasskey(error) ? invalidPasskey(error) : error;
    }
  },

  /** Deletes a passkey, or all of the user. */
  async delete(userId: string, passkeyId?: string) {
    await deletePasskeys(tx, { user_id: userId, passkey_id: passkeyId ?? null });
  },
});

export const recoveryCodeTable = (tx: pg.ClientBase) => ({
  /** Deletes a code. Returns false when the user has no such code. */
  async take(userId: string, codeHash: Buffer) {
    const { rowCount } = await deleteCode(tx, { user_id: userId, code_hash: codeHash });
    return rowCount === 1;
  },

  /** Inserts codes in place of all before. */
  async replace(userId: string, codeHashes: readonly Buffer[]) {
    await deleteCodes(tx, { user_id: userId });
    await insertCodes(tx, { user_id: userId, hashes: codeHashes });
  },
});

/** Secrets of authenticators are sealed for their user's row. */
export const placeOfTotp = (userId: string): string => `totp_secrets/secret_sealed/${userId}`;

export const totpSecretColumn: RingColumn = {
  table: 'totp_secrets',
  column: 'secret_sealed',
  key: 'user_id',
  keyType: 'uuid',
  place: placeOfTotp,
};

const listFactors = statement<{ passkeyId: string | null }>(`
select null as "passkeyId" from totp_secrets where user_id = :user_id and confirmed_at is not null
union all select passkey_id from passkeys where user_id = :user_id`);

const findOfferedTotp = statement<{ sealed: Buffer }>(`
select secret_sealed as sealed from totp_secrets
 where user_id = :user_id and confirmed_at is null and created_at > :after for update`);

const confirmTotp = statement(
  'update totp_secrets set confirmed_at = :at, last_step = :step where user_id = :user_id',
);

const deleteTotp = statement('delete from totp_secrets where user_id = :user_id');

const insertPasskey = statement(`
insert into passkeys
  (passkey_id, user_id, credential_id, public_key, counter, transports, name, created_at)
values (:passkey_id, :user_id, :credential_id, :public_key, :counter, :transports, :name, :created_at)`);

const deletePasskeys = statement(`
delete from passkeys
 where user_id = :user_id and (:passkey_id::text is null or passkey_id = :passkey_id)`);

const deleteCode = statement(
  'delete from recovery_codes where user_id = :user_id and code_hash = :code_hash',
);

const deleteCodes = statement('delete from recovery_codes where user_id = :user_id');

const insertCodes = statement(
  'insert into recovery_codes (user_id, code_hash) select :user_id, unnest(:hashes::bytea[])',
);
