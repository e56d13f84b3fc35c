import { type KeyRing, openWithRing, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import { accountGone } from '../../application/account/me.js';
import { invalidPasskey } from '../../application/second-factor/manage-factors.js';
import type {
  FactorChange,
  Factors,
  PasskeyChallenge,
  StoredPasskey,
} from '../../application/second-factor/ports.js';
import type { NamedFactor } from '../../domain/user/events.js';
import { type AccountsOptions, accountOf, changing } from './account-writes.js';
import { pendingLogins } from './pending-logins.js';
import { placeOfTotp } from './totp-column.js';
import { isOwnerGone, isTakenPasskey } from './violation.js';

const EXPIRED_MAX = 100;

interface FactorsOptions extends AccountsOptions {
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
    const { rows } = await options.pool.query<{ totpSince: Date | null; codes: number }>({
      name: 'auth/factors-of',
      text: `select (select confirmed_at from totp_secrets where user_id = $1) as "totpSince",
                    (select count(*)::int from recovery_codes where user_id = $1) as codes`,
      values: [userId],
    });
    const { rows: found } = await options.pool.query<StoredPasskey>({
      name: 'auth/passkeys-of',
      text: `select ${PASSKEY} from passkeys where user_id = $1 order by created_at, passkey_id`,
      values: [userId],
    });
    const { totpSince = null, codes = 0 } = rows[0] ?? {};
    return { totpSince, passkeys: found, recoveryCodesLeft: codes };
  },

  async takeRecoveryCode(userId, codeHash, decide) {
    const used = await changing(options, userId, async (tx) => {
      const account = await accountOf(options.store, tx, userId);
      const { rowCount } = await tx.query(
        'delete from recovery_codes where user_id = $1 and code_hash = $2',
        [userId, codeHash],
      );
      return account && rowCount === 1 ? { account, appends: decide(account) } : undefined;
    });
    return used !== undefined;
  },

  async change(userId, change, decide) {
    const changed = await changing(options, userId, async (tx) => {
      const owner = await accountOf(options.store, tx, userId);
      if (owner === undefined) return undefined;
      const account = { ...owner, factors: await factorsIn(tx, userId) };
      await apply(tx, userId, change);
      const isFirst = account.factors.length === 0;
      const codes = isFirst ? change.firstCodes : change.recoveryCodes;
      if (codes !== undefined) await replaceCodes(tx, userId, codes);
      return { account, appends: decide(account) };
    }).catch((error: unknown) => {
      throw isTakenPasskey(error) ? invalidPasskey() : error;
    });
    if (changed === undefined) throw accountGone();
    return changed;
  },
});

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
        if (!isOwnerGone(error, 'totp_secrets_user_id_fkey')) throw error;
      }
    },

    async totpSecret(userId, { confirmed, notBefore }) {
      const { rows } = await pool.query<{ sealed: Buffer }>(
        `select secret_sealed as sealed from totp_secrets
          where user_id = $1 and (confirmed_at is not null) = $2 and created_at > $3`,
        [userId, confirmed, notBefore],
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

/** Applies the change. A user without a factor needs no codes, and sessions have no factor to show again. */
async function apply(tx: pg.ClientBase, userId: string, change: FactorChange): Promise<void> {
  const { addPasskey: key, removePasskey } = change;
  if (change.confirmTotp) {
    await tx.query('update totp_secrets set confirmed_at = now() where user_id = $1', [userId]);
  }
  if (change.removeTotp || change.removeAll)
    await tx.query('delete from totp_secrets where user_id = $1', [userId]);
  if (key !== undefined) {
    await tx.query(
      `insert into passkeys
         (passkey_id, user_id, credential_id, public_key, counter, transports, name, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        key.passkeyId,
        userId,
        key.credentialId,
        key.publicKey,
        key.counter,
        key.transports,
        key.name,
        key.createdAt,
      ],
    );
  }
  if (removePasskey !== undefined) {
    const ids = [userId, removePasskey];
    await tx.query('delete from passkeys where user_id = $1 and passkey_id = $2', ids);
  }
  if (change.removeAll) await tx.query('delete from passkeys where user_id = $1', [userId]);
  if ((await factorsIn(tx, userId)).length > 0) return;
  await tx.query('delete from recovery_codes where user_id = $1', [userId]);
  await tx.query(
    `delete from session_factors where session_id in (select session_id from sessions where user_id = $1)`,
    [userId],
  );
}

async function factorsIn(tx: pg.ClientBase, userId: string): Promise<readonly NamedFactor[]> {
  const { rows } = await tx.query<{ passkeyId: string | null }>(
    `select null as "passkeyId" from totp_secrets where user_id = $1 and confirmed_at is not null
     union all select passkey_id from passkeys where user_id = $1`,
    [userId],
  );
  return rows.map(({ passkeyId }) =>
    passkeyId === null ? { factor: 'totp' } : { factor: 'passkey', passkeyId },
  );
}

async function replaceCodes(
  tx: pg.ClientBase,
  userId: string,
  codes: readonly Buffer[],
): Promise<void> {
  await tx.query('delete from recovery_codes where user_id = $1', [userId]);
  await tx.query('insert into recovery_codes (user_id, code_hash) select $1, unnest($2::bytea[])', [
    userId,
    codes,
  ]);
}
