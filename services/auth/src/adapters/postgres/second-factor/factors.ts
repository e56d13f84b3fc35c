import { type KeyRing, openWithRing, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import type {
  Factors,
  PasskeyChallenge,
  StoredPasskey,
} from '../../../application/second-factor/ports.js';
import { isUserGone } from '../violation.js';
import { placeOfTotp } from './factor-tables.js';
import { pendingLogins } from './pending-logins.js';

const EXPIRED_MAX = 100;

interface FactorsOptions {
  readonly pool: pg.Pool;
  readonly ring: KeyRing;
}

const PASSKEY = `passkey_id as "passkeyId", user_id as "userId", credential_id as "credentialId",
  public_key as "publicKey", counter::float8 as counter, transports, name,
  created_at as "createdAt", last_used_at as "lastUsedAt"`;

export const postgresFactors = (options: FactorsOptions): Factors => ({
  ...totpSecrets(options),
  ...passkeys(options.pool),
  ...pendingLogins(options.pool),

  async of(userId) {
    const { rows } = await options.pool.query<FactorsRow>({
      name: 'auth/factors-of',
      text: FACTORS_OF,
      values: [userId],
    });
    const [{ totpSince, codes } = { totpSince: null, codes: 0 }] = rows;
    return { totpSince, passkeys: rows.filter(hasPasskey), recoveryCodesLeft: codes };
  },
});

/** A passkey, or none, beside what there is once for a user. */
type FactorsRow = { readonly totpSince: Date | null; readonly codes: number } & (
  | StoredPasskey
  | { readonly passkeyId: null }
);

const hasPasskey = (row: FactorsRow): row is FactorsRow & StoredPasskey => row.passkeyId !== null;

const FACTORS_OF = `
select (select confirmed_at from totp_secrets where user_id = one.id) as "totpSince",
       (select count(*)::int from recovery_codes where user_id = one.id) as codes, ${PASSKEY}
  from (select $1::uuid as id) one left join passkeys on user_id = one.id
 order by created_at, passkey_id`;

function totpSecrets({ pool, ring }: FactorsOptions) {
  return {
    async offerTotp(userId, secret, at) {
      try {
        await pool.query(
          `insert into totp_secrets as t (user_id, secret_sealed, created_at) values ($1, $2, $3)
           on conflict (user_id) do update
             set secret_sealed = excluded.secret_sealed, created_at = excluded.created_at, last_step = 0
           where t.confirmed_at is null`,
          [userId, sealWithRing(ring, secret, placeOfTotp(userId)), at],
        );
      } catch (error) {
        if (!isUserGone(error)) throw error;
      }
    },

    async totpSecret(userId) {
      const { rows } = await pool.query<{ sealed: Buffer }>(
        `select secret_sealed as sealed from totp_secrets
          where user_id = $1 and confirmed_at is not null`,
        [userId],
      );
      const [row] = rows;
      return row && openWithRing(ring, row.sealed, placeOfTotp(userId));
    },

    async takeStep(userId, step) {
      const { rowCount } = await pool.query(
        'update totp_secrets set last_step = $2 where user_id = $1 and last_step < $2',
        [userId, step],
      );
      return rowCount === 1;
    },
  } satisfies Pick<Factors, 'offerTotp' | 'totpSecret' | 'takeStep'>;
}

function passkeys(pool: pg.Pool) {
  return {
    async passkey(credentialId) {
      const { rows } = await pool.query<StoredPasskey>(
        `select ${PASSKEY} from passkeys where credential_id = $1`,
        [credentialId],
      );
      return rows[0];
    },

    async usePasskey(passkeyId, counter, at) {
      const { rowCount } = await pool.query(
        `update passkeys set counter = $2, last_used_at = $3
          where passkey_id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
        [passkeyId, counter, at],
      );
      return rowCount === 1;
    },

    async keepChallenge({ challengeId, challenge, userId, purpose, expiresAt }) {
      await pool.query(
        `with expired as (
           select challenge_id from passkey_challenges where expires_at <= now()
            limit ${EXPIRED_MAX} for update skip locked
         ), purged as (
           delete from passkey_challenges where challenge_id in (select challenge_id from expired)
         )
         insert into passkey_challenges (challenge_id, challenge, user_id, purpose, expires_at)
         values ($1, $2, $3, $4, $5)`,
        [challengeId, challenge, userId, purpose, expiresAt],
      );
    },

    async takeChallenge(challengeId, { purpose, now }) {
      const { rows } = await pool.query<PasskeyChallenge>(
        `delete from passkey_challenges
          where challenge_id = $1 and purpose = $2 and expires_at > $3
          returning challenge_id as "challengeId", challenge, user_id as "userId", purpose,
                    expires_at as "expiresAt"`,
        [challengeId, purpose, now],
      );
      return rows[0];
    },
  } satisfies Pick<Factors, 'passkey' | 'usePasskey' | 'keepChallenge' | 'takeChallenge'>;
}
