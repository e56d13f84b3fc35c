import { statement } from '@junction/eventsourcing/postgres';
import { type KeyRing, openWithRing, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import type { NamedFactor } from '../../domain/user/events.js';
import type { Undoing } from '../../domain/user/undoing.js';
import { placeOfTotp } from './second-factor/factor-tables.js';

/** SQL of whether the user of the row `u` has a second factor; an authenticator counts once it is confirmed. */
export const HAS_FACTOR = `(
  exists (select from totp_secrets t where t.user_id = u.user_id and confirmed_at is not null)
  or exists (select from passkeys p where p.user_id = u.user_id))`;

/** The second factors of a user, each row of their tables as JSON. */
export interface FactorState {
  readonly totp: TotpRow | null;
  readonly passkeys: readonly { readonly passkey_id: string }[];
  /** SHA-256 of recovery codes, in hex. */
  readonly codes: readonly string[];
}

interface TotpRow {
  /** In hex, behind `\x`. */
  readonly secret_sealed: string;
  readonly created_at: string;
}

export async function factorState(tx: pg.ClientBase, userId: string): Promise<FactorState> {
  const { rows } = await findState(tx, { user_id: userId });
  const [state] = rows;
  return state ?? { totp: null, passkeys: [], codes: [] };
}

interface Kept {
  readonly userId: string;
  /** The place that the whole state is sealed for. */
  readonly place: string;
}

/**
 * Seals the whole state. The secret in it is opened first, so that it does not depend on the key of the ring that
 * its row was sealed with.
 */
export function sealState(ring: KeyRing, state: FactorState, { userId, place }: Kept): Buffer {
  const opened = withSecret(state, (sealed) => openWithRing(ring, sealed, placeOfTotp(userId)));
  return sealWithRing(ring, Buffer.from(JSON.stringify(opened)), place);
}

/** The state as it lay in the tables, its secret sealed anew. */
export function openState(ring: KeyRing, sealed: Buffer, { userId, place }: Kept): FactorState {
  const opened = JSON.parse(openWithRing(ring, sealed, place).toString()) as FactorState;
  return withSecret(opened, (secret) => sealWithRing(ring, secret, placeOfTotp(userId)));
}

const withSecret = (
  { totp, ...state }: FactorState,
  change: (secret: Buffer) => Buffer,
): FactorState => ({
  ...state,
  totp: totp && {
    ...totp,
    secret_sealed: `\\x${change(Buffer.from(totp.secret_sealed.slice(2), 'hex')).toString('hex')}`,
  },
});

/**
 * Makes the user's factors those of the state again, and returns the difference. Factors that are still there keep
 * their counters. Recovery codes of the state do not come back, because they may have been used since, and neither
 * does a passkey that another account has registered meanwhile.
 */
export async function restoreFactors(
  tx: pg.ClientBase,
  userId: string,
  { totp, passkeys, codes }: FactorState,
): Promise<Pick<Undoing, 'removed' | 'returned'>> {
  const before = await factorsByKey(tx, userId);
  await deleteOtherTotp(tx, { user_id: userId, created_at: totp?.created_at ?? null });
  await insertTotp(tx, { rows: JSON.stringify(totp === null ? [] : [totp]) });
  const ids = passkeys.map(({ passkey_id }) => passkey_id);
  await deleteOtherPasskeys(tx, { user_id: userId, ids });
  await insertPasskeys(tx, { rows: JSON.stringify(passkeys) });
  const hashes = codes.map((code) => Buffer.from(code, 'hex'));
  await deleteOtherCodes(tx, { user_id: userId, hashes });
  const after = await factorsByKey(tx, userId);
  return { removed: beyond(before, after), returned: beyond(after, before) };
}

type Factors = ReadonlyMap<string, NamedFactor>;

/** Returns the factors of the first map that the second does not have. */
const beyond = (first: Factors, second: Factors): readonly NamedFactor[] =>
  [...first].flatMap(([key, factor]) => (second.has(key) ? [] : [factor]));

/** An authenticator that was set up anew is another one. */
async function factorsByKey(tx: pg.ClientBase, userId: string): Promise<Factors> {
  const { totp, passkeys } = await factorState(tx, userId);
  return new Map<string, NamedFactor>([
    ...(totp === null ? [] : [[totp.created_at, { factor: 'totp' }] as const]),
    ...passkeys.map(({ passkey_id: id }) => [id, { factor: 'passkey', passkeyId: id }] as const),
  ]);
}

const findState = statement<FactorState>(`
select (select to_jsonb(t) from totp_secrets t
         where user_id = :user_id and confirmed_at is not null) as totp,
       (select coalesce(jsonb_agg(p), '[]') from passkeys p where user_id = :user_id) as passkeys,
       (select coalesce(jsonb_agg(encode(code_hash, 'hex')), '[]')
          from recovery_codes where user_id = :user_id) as codes`);

const deleteOtherTotp = statement(`
delete from totp_secrets
 where user_id = :user_id and created_at is distinct from :created_at::timestamptz`);

const insertTotp = statement(`
insert into totp_secrets select * from jsonb_populate_recordset(null::totp_secrets, :rows)
on conflict do nothing`);

const deleteOtherPasskeys = statement(
  'delete from passkeys where user_id = :user_id and passkey_id <> all (:ids)',
);

const insertPasskeys = statement(`
insert into passkeys select * from jsonb_populate_recordset(null::passkeys, :rows)
on conflict do nothing`);

const deleteOtherCodes = statement(
  'delete from recovery_codes where user_id = :user_id and code_hash <> all (:hashes)',
);
