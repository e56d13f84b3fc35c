import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { AppError } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import type pg from 'pg';
import { z } from 'zod';
import type { Authorizations, CodePresented } from '../../../application/ports.js';
import { invalidAuthCode } from '../../../application/provider-refusal.js';
import type { AuthorizationTable } from '../../../application/unit-of-work.js';
import {
  type Client,
  type ClientName,
  clientName,
  type Provider,
} from '../../../domain/connection/events.js';

const KEPT_MAX = 20;
const VALID_FOR = `interval '10 minutes'`;
const WAITS = 'expires_at > now() and consumed_at is null';
/** Time for an exchange: longer than the provider may take to answer, and the saving after it. */
const EXCHANGED_WITHIN = `interval '1 minute'`;
/** A provider forgets a code within minutes (RFC 6749, section 4.1.2). */
const CODES_KEPT_FOR = `interval '1 day'`;
const PURGE_MAX = 1_000;
/**
 * Most codes that a user may send in a window. Made-up codes reach the provider, which counts them against all users of
 * our client.
 */
const CODES_MAX = 20;
const CODES_WINDOW_S = 600;
const HASH_BYTES = 32;

const secrets = z.object({ verifier: z.string(), nonce: z.string() });

interface PendingRow {
  readonly state_hash: Buffer;
  readonly redirect_uri: string;
  readonly sealed: Buffer;
}

interface Receipt {
  readonly stateHash: Buffer;
  readonly codeHash: Buffer;
}

/** Stores pending authorizations and used codes. Neither is stored in clear. */
export function postgresAuthorizations(pool: pg.Pool, ring: KeyRing): Authorizations {
  const codeHash = codeHasher(ring);
  return {
    async add({ userId, state, redirectUri, returnTo, verifier, nonce, ...client }) {
      const stateHash = hashOf(state);
      const sealed = sealWithRing(
        ring,
        Buffer.from(JSON.stringify({ verifier, nonce })),
        place(stateHash),
      );
      await pool.query(
        `insert into pending_authorizations
                (state_hash, user_id, identity_provider, provider, redirect_uri, return_to, sealed,
                 expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, now() + ${VALID_FOR})`,
        [
          stateHash,
          userId,
          client.identityProvider,
          client.provider,
          redirectUri,
          returnTo,
          sealed,
        ],
      );
      await deleteOldest(pool, userId, client);
    },

    returnTo: async (client, state) => returnTo(pool, client, state),

    identityProvider: async (userId, provider, state) =>
      (await newest(pool, userId, provider, state))?.identity_provider,

    async consume(presented) {
      const hash = codeHash(clientName(presented), presented.code);
      const row = await inTransaction(pool, async (tx) => consumeIn(tx, presented, hash));
      const bytes = openWithRing(ring, row.sealed, place(row.state_hash));
      const receipt: Receipt = { stateHash: row.state_hash, codeHash: hash };
      return {
        ...secrets.parse(JSON.parse(bytes.toString())),
        redirectUri: row.redirect_uri,
        receipt,
      };
    },

    async release({ receipt }) {
      await inTransaction(pool, async (tx) => releaseIn(tx, receipt as Receipt));
    },
  };
}

async function returnTo(
  pool: pg.Pool,
  { identityProvider, provider }: Client,
  state: string,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ return_to: string | null }>(
    `select return_to from pending_authorizations
      where state_hash = $1 and identity_provider = $2 and provider = $3 and ${WAITS}`,
    [hashOf(state), identityProvider, provider],
  );
  return rows[0]?.return_to ?? undefined;
}

async function newest(
  pool: pg.Pool,
  userId: string,
  provider: Provider,
  state: string | undefined,
): Promise<{ readonly identity_provider: string } | undefined> {
  const { rows } = await pool.query<{ identity_provider: string }>(
    `select identity_provider from pending_authorizations
      where user_id = $1 and provider = $2 and ${WAITS}
        and ($3::bytea is null or state_hash = $3)
      order by position desc limit 1`,
    [userId, provider, state === undefined ? null : hashOf(state)],
  );
  return rows[0];
}

/** Deletes authorizations and codes that can no longer be used, a bounded number at a time. */
export async function purgeAuthorizations(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from pending_authorizations where state_hash in (
       select state_hash from pending_authorizations where expires_at <= now()
        limit ${PURGE_MAX} for update skip locked)`,
  );
  await pool.query(
    `delete from used_codes where code_hash in (
       select code_hash from used_codes where used_at < now() - ${CODES_KEPT_FOR}
        limit ${PURGE_MAX} for update skip locked)`,
  );
}

async function consumeIn(
  tx: pg.ClientBase,
  { userId, identityProvider, provider, state, onLimit }: CodePresented,
  hash: Buffer,
): Promise<PendingRow> {
  await requireFewCodes(tx, userId, onLimit);
  // First, so that a code that was used before costs no authorization.
  const { rowCount } = await tx.query(
    'insert into used_codes (code_hash, user_id) values ($1, $2) on conflict do nothing',
    [hash, userId],
  );
  if (rowCount !== 1) throw usedBefore();

  const { rows } = await tx.query<PendingRow>(
    `update pending_authorizations
        set consumed_at = now(), expires_at = greatest(expires_at, now() + ${EXCHANGED_WITHIN})
      where state_hash = (
              select state_hash from pending_authorizations
               where user_id = $1 and identity_provider = $2 and provider = $3 and ${WAITS}
                 and ($4::bytea is null or state_hash = $4)
               order by position desc limit 1 for update)
     returning state_hash, redirect_uri, sealed`,
    [userId, identityProvider, provider, state === undefined ? null : hashOf(state)],
  );
  const [row] = rows;
  if (row) return row;
  throw state === undefined ? nothingBegun(provider) : invalidState(provider);
}

/** Refuses a code beyond the limit. The lock counts codes that are sent at once one after the other, on any replica. */
async function requireFewCodes(
  tx: pg.ClientBase,
  userId: string,
  onLimit: CodePresented['onLimit'],
): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('codes of ' || $1, 0))`, [userId]);
  const { rows } = await tx.query<{ used: number; rest_s: number }>(
    `select count(*)::int as used,
            coalesce(extract(epoch from min(used_at) - now()), 0)::float8 + $2 as rest_s
       from (select used_at from used_codes
              where user_id = $1 and used_at > now() - make_interval(secs => $2)
              order by used_at desc limit ${CODES_MAX}) latest`,
    [userId, CODES_WINDOW_S],
  );
  const [{ used, rest_s: resetS } = { used: 0, rest_s: 0 }] = rows;
  const remaining = Math.max(0, CODES_MAX - used - 1);
  onLimit({ name: 'codes', limit: CODES_MAX, windowS: CODES_WINDOW_S, remaining, resetS });
  if (used >= CODES_MAX) throw tooManyCodes(resetS);
}

async function releaseIn(tx: pg.ClientBase, { stateHash, codeHash }: Receipt): Promise<void> {
  await tx.query('delete from used_codes where code_hash = $1', [codeHash]);
  await tx.query('update pending_authorizations set consumed_at = null where state_hash = $1', [
    stateHash,
  ]);
}

export const authorizationTable = (tx: pg.ClientBase): AuthorizationTable => ({
  async complete({ receipt }) {
    const { rowCount } = await tx.query(
      'delete from pending_authorizations where state_hash = $1',
      [(receipt as Receipt).stateHash],
    );
    return rowCount === 1;
  },

  async delete(userId, provider, identityProvider) {
    await tx.query(
      `delete from pending_authorizations
        where user_id = $1 and provider = $2 and identity_provider = coalesce($3, identity_provider)`,
      [userId, provider, identityProvider],
    );
  },
});

const deleteOldest = async (
  pool: pg.Pool,
  userId: string,
  { identityProvider, provider }: Client,
): Promise<void> => {
  await pool.query(
    `delete from pending_authorizations where state_hash in (
       select state_hash from pending_authorizations
        where user_id = $1 and identity_provider = $2 and provider = $3 and consumed_at is null
        order by position desc offset ${KEPT_MAX})`,
    [userId, identityProvider, provider],
  );
};

const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest();

const place = (stateHash: Buffer): string => placeOfHex(stateHash.toString('hex'));

const placeOfHex = (stateHash: string): string => `pending_authorizations/${stateHash}`;

export const authorizationColumn: RingColumn = {
  table: 'pending_authorizations',
  column: 'sealed',
  key: 'state_hash',
  keyType: 'bytea',
  place: placeOfHex,
};

/**
 * Creates the hash of codes, with a key, because codes of some providers can be guessed. A new key in front of the ring
 * makes other hashes: codes used in the minutes before it are then refused by their provider alone.
 */
function codeHasher({ newest }: KeyRing): (client: ClientName, code: string) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', newest.key, '', 'used codes', HASH_BYTES));
  return (client, code) =>
    createHmac('sha256', key)
      .update(JSON.stringify([client, code]))
      .digest();
}

const beginWith = (provider: string) =>
  `Begin with GET /api/integrations/${provider}/authorize and use the code within ten minutes.`;

const usedBefore = (): AppError => invalidAuthCode('This code was used before. A code works once.');

const tooManyCodes = (retryAfterS: number): AppError =>
  new AppError(
    'too_many_codes',
    `A user may send ${CODES_MAX} codes in ten minutes. Wait, and begin again with authorize.`,
    { retryAfterS },
  );

const nothingBegun = (provider: string): AppError =>
  invalidAuthCode(`No authorization is waiting for a code. ${beginWith(provider)}`);

function invalidState(provider: string): AppError {
  const message = `No authorization of yours is waiting under this state. ${beginWith(provider)}`;
  return new AppError('invalid_state', message, {
    fields: [{ field: 'state', code: 'invalid_state', message }],
  });
}
