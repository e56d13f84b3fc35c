import { createHmac, hkdfSync } from 'node:crypto';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type { KeyRing } from '@junction/vault';
import type { CodeOutcome, SentCode } from '../../../application/connecting/ports.js';
import { clientName } from '../../../domain/connection/events.js';

/** A provider forgets a code within minutes (RFC 6749, section 4.1.2). */
const KEPT_FOR = `interval '1 day'`;
/** Time in which a client whose answer was lost sends its code again. */
const REPEATABLE_FOR = `interval '1 minute'`;
const PURGE_MAX = 1_000;
const HASH_BYTES = 32;

/** Stores hashes of codes, never a code in clear. */
export function usedCodeTable(tx: Queryable, ring: KeyRing) {
  const hashOf = codeHasher(ring);
  return {
    /**
     * Returns how a code was used before: `under_way` while its connect may go on, `used` when somebody else sent it or
     * its connect ended longer ago than a minute. Undefined: it was not.
     */
    async find(code: SentCode, exchangedWithinS: number) {
      const { rows } = await findCode(tx, {
        code_hash: hashOf(code),
        user_id: code.userId,
        within_s: exchangedWithinS,
      });
      const [row] = rows;
      return row?.use ?? row?.outcome ?? undefined;
    },

    /** Counts the codes of a user in the last `withinS`, up to `max`, and tells how old the oldest of these is. */
    async recent(userId: string, withinS: number, max: number) {
      const { rows } = await countCodes(tx, { user_id: userId, within_s: withinS, max });
      return rows[0] ?? { count: 0, oldestS: 0 };
    },

    /** Adds a code. Returns false when the code was sent before, by whomever. */
    async add(code: SentCode) {
      const { rowCount } = await insertCode(tx, { code_hash: hashOf(code), user_id: code.userId });
      return rowCount === 1;
    },

    /** Keeps how the connect by a code ended. */
    async end(code: SentCode, outcome: CodeOutcome) {
      await endCode(tx, { code_hash: hashOf(code), outcome: JSON.stringify(outcome) });
    },

    async delete(code: SentCode) {
      await deleteCode(tx, { code_hash: hashOf(code) });
    },
  };
}

/** Returns the identity provider, one of these, that a user sent a code to before. */
export async function sentBeforeTo(
  db: Queryable,
  ring: KeyRing,
  sent: Omit<SentCode, 'identityProvider'>,
  among: readonly string[],
): Promise<string | undefined> {
  const hashOf = codeHasher(ring);
  const { userId, provider, code } = sent;
  const hashes = among.map((identityProvider) =>
    hashOf({ identityProvider, provider, userId, code }),
  );
  const { rows } = await findPlace(db, { user_id: userId, code_hashes: hashes });
  return rows[0] && among[rows[0].place - 1];
}

/** Deletes codes that are too old to be sent again, a bounded number at a time. */
export const purgeUsedCodes = async (db: Queryable): Promise<void> => void (await purge(db));

/**
 * Creates the hash of codes, with a key, because codes of some providers can be guessed. A new key in front of the ring
 * makes other hashes: codes used in the minutes before it are then refused by their provider alone.
 */
function codeHasher({ newest }: KeyRing): (code: SentCode) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', newest.key, '', 'used codes', HASH_BYTES));
  return ({ code, ...client }) =>
    createHmac('sha256', key)
      .update(JSON.stringify([clientName(client), code]))
      .digest();
}

const findCode = statement<{ use: 'under_way' | 'used' | null; outcome: CodeOutcome | null }>(`
select case when user_id = :user_id and ended_at > now() - ${REPEATABLE_FOR} then null
            when user_id = :user_id and ended_at is null
             and used_at > now() - make_interval(secs => :within_s) then 'under_way'
            else 'used' end as use,
       outcome
  from used_codes where code_hash = :code_hash`);

const findPlace = statement<{ place: number }>(`
select array_position(:code_hashes::bytea[], code_hash) as place
  from used_codes where code_hash = any(:code_hashes::bytea[]) and user_id = :user_id limit 1`);

const countCodes = statement<{ count: number; oldestS: number }>(`
select count(*)::int as count,
       coalesce(extract(epoch from now() - min(used_at)), 0)::float8 as "oldestS"
  from (select used_at from used_codes
         where user_id = :user_id and used_at > now() - make_interval(secs => :within_s)
         order by used_at desc limit :max) latest`);

const insertCode = statement(
  'insert into used_codes (code_hash, user_id) values (:code_hash, :user_id) on conflict do nothing',
);

const endCode = statement(`
update used_codes set ended_at = now(), outcome = :outcome::jsonb where code_hash = :code_hash`);

const deleteCode = statement('delete from used_codes where code_hash = :code_hash');

const purge = statement(`
delete from used_codes where code_hash in (
  select code_hash from used_codes where used_at < now() - ${KEPT_FOR}
   limit ${PURGE_MAX} for update skip locked)`);
