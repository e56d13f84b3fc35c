import { type KeyRing, openWithRing, type RingColumn } from '@junction/vault';
import type pg from 'pg';
import { invalidPasskey } from '../../../application/second-factor/add-passkey.js';
import type {
  FactorTable,
  PasskeyTable,
  RecoveryCodeTable,
  TotpTable,
} from '../../../application/second-factor/ports.js';
import { isTakenPasskey } from '../violation.js';

export const factorTable = (tx: pg.ClientBase): FactorTable => ({
  async list(userId) {
    const { rows } = await tx.query<{ passkeyId: string | null }>(
      `select null as "passkeyId" from totp_secrets where user_id = $1 and confirmed_at is not null
       union all select passkey_id from passkeys where user_id = $1`,
      [userId],
    );
    return rows.map(({ passkeyId }) =>
      passkeyId === null ? { factor: 'totp' } : { factor: 'passkey', passkeyId },
    );
  },
});

export const totpTable = (tx: pg.ClientBase, ring: KeyRing): TotpTable => ({
  async findOffered(userId, after) {
    const { rows } = await tx.query<{ sealed: Buffer }>(
      `select secret_sealed as sealed from totp_secrets
        where user_id = $1 and confirmed_at is null and created_at > $2 for update`,
      [userId, after],
    );
    const [row] = rows;
    return row && openWithRing(ring, row.sealed, placeOfTotp(userId));
  },

  async confirm(userId, step, at) {
    await tx.query('update totp_secrets set confirmed_at = $3, last_step = $2 where user_id = $1', [
      userId,
      step,
      at,
    ]);
  },

  async delete(userId) {
    await tx.query('delete from totp_secrets where user_id = $1', [userId]);
  },
});

export const passkeyTable = (tx: pg.ClientBase): PasskeyTable => ({
  async add({ passkeyId, userId, credentialId, publicKey, counter, transports, name, createdAt }) {
    try {
      await tx.query(
        `insert into passkeys
           (passkey_id, user_id, credential_id, public_key, counter, transports, name, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [passkeyId, userId, credentialId, publicKey, counter, transports, name, createdAt],
      );
    } catch (error) {
      throw isTakenPasskey(error) ? invalidPasskey(error) : error;
    }
  },

  async delete(userId, passkeyId) {
    await tx.query(
      'delete from passkeys where user_id = $1 and ($2::text is null or passkey_id = $2)',
      [userId, passkeyId],
    );
  },
});

export const recoveryCodeTable = (tx: pg.ClientBase): RecoveryCodeTable => ({
  async take(userId, codeHash) {
    const { rowCount } = await tx.query(
      'delete from recovery_codes where user_id = $1 and code_hash = $2',
      [userId, codeHash],
    );
    return rowCount === 1;
  },

  async replace(userId, codeHashes) {
    await tx.query('delete from recovery_codes where user_id = $1', [userId]);
    await tx.query(
      'insert into recovery_codes (user_id, code_hash) select $1, unnest($2::bytea[])',
      [userId, codeHashes],
    );
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
