import { statement } from '@junction/eventsourcing/postgres';
import { type KeyRing, openWithRing, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import type { PasskeyChallenge, StoredPasskey } from '../../../application/second-factor/ports.js';
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

export const postgresFactors = (options: FactorsOptions) => ({
  ...totpSecrets(options),
  ...passkeys(options.pool),
  ...pendingLogins(options.pool),

  async of(userId: string) {
    const { rows } = await listFactors(options.pool, { user_id: userId });
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

function totpSecrets({ pool, ring }: FactorsOptions) {
  return {
    /** A secret in place of one that is not confirmed. Does nothing where one is. */
    async offerTotp(userId: string, secret: Buffer, at: Date) {
      try {
        const sealed = sealWithRing(ring, secret, placeOfTotp(userId));
        await offerSecret(pool, { user_id: userId, sealed, at });
      } catch (error) {
        if (!isUserGone(error)) throw error;
      }
    },

    /** Returns the secret of a user's authenticator; undefined when there is none, or it is not confirmed. */
    async totpSecret(userId: string) {
      const { rows } = await findSecret(pool, { user_id: userId });
      const [row] = rows;
      return row && openWithRing(ring, row.sealed, placeOfTotp(userId));
    },

    /** Returns whether no code of this time step or a later one was taken before, by any replica. */
    async takeStep(userId: string, step: number) {
      return (await saveStep(pool, { user_id: userId, step })).rowCount === 1;
    },
  };
}

function passkeys(pool: pg.Pool) {
  return {
    async passkey(credentialId: string) {
      return (await findPasskey(pool, { credential_id: credentialId })).rows[0];
    },

    /** Whether the counter went up, or the authenticator has none (WebAuthn, section 7.2, step 22). */
    async usePasskey(passkeyId: string, counter: number, at: Date) {
      return (await saveUse(pool, { passkey_id: passkeyId, counter, at })).rowCount === 1;
    },

    async keepChallenge({ challengeId, challenge, userId, purpose, expiresAt }: PasskeyChallenge) {
      await insertChallenge(pool, {
        challenge_id: challengeId,
        challenge,
        user_id: userId,
        purpose,
        expires_at: expiresAt,
      });
    },

    /** Takes the challenge out, so that it counts once. */
    async takeChallenge(
      challengeId: string,
      { purpose, now }: Pick<PasskeyChallenge, 'purpose'> & { readonly now: Date },
    ) {
      return (await deleteChallenge(pool, { challenge_id: challengeId, purpose, now })).rows[0];
    },
  };
}

const listFactors = statement<FactorsRow>(
  `
select (select confirmed_at from totp_secrets where user_id = one.id) as "totpSince",
       (select count(*)::int from recovery_codes where user_id = one.id) as codes, ${PASSKEY}
  from (select :user_id::uuid as id) one left join passkeys on user_id = one.id
 order by created_at, passkey_id`,
  'auth/factors-of',
);

const offerSecret = statement(`
insert into totp_secrets as t (user_id, secret_sealed, created_at) values (:user_id, :sealed, :at)
on conflict (user_id) do update
  set secret_sealed = excluded.secret_sealed, created_at = excluded.created_at, last_step = 0
where t.confirmed_at is null`);

const findSecret = statement<{ sealed: Buffer }>(`
select secret_sealed as sealed from totp_secrets
 where user_id = :user_id and confirmed_at is not null`);

const saveStep = statement(
  'update totp_secrets set last_step = :step where user_id = :user_id and last_step < :step',
);

const findPasskey = statement<StoredPasskey>(
  `select ${PASSKEY} from passkeys where credential_id = :credential_id`,
);

const saveUse = statement(`
update passkeys set counter = :counter, last_used_at = :at
 where passkey_id = :passkey_id and (counter < :counter or (counter = 0 and :counter = 0))`);

const insertChallenge = statement(`
with expired as (
  select challenge_id from passkey_challenges where expires_at <= now()
   limit ${EXPIRED_MAX} for update skip locked
), purged as (
  delete from passkey_challenges where challenge_id in (select challenge_id from expired)
)
insert into passkey_challenges (challenge_id, challenge, user_id, purpose, expires_at)
values (:challenge_id, :challenge, :user_id, :purpose, :expires_at)`);

const deleteChallenge = statement<PasskeyChallenge>(`
delete from passkey_challenges
 where challenge_id = :challenge_id and purpose = :purpose and expires_at > :now
returning challenge_id as "challengeId", challenge, user_id as "userId", purpose,
          expires_at as "expiresAt"`);
