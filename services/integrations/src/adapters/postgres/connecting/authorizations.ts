import { createHash } from 'node:crypto';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import { z } from 'zod';
import type {
  AuthorizationQuery,
  ConsumedAuthorization,
  PendingAuthorization,
  SentCode,
} from '../../../application/connecting/ports.js';
import type { Client, Provider } from '../../../domain/connection/events.js';
import { purgeUsedCodes, sentBeforeTo } from './used-codes.js';

const WAITS = 'expires_at > now() and consumed_at is null';
const PURGE_MAX = 1_000;

const secrets = z.object({ verifier: z.string(), nonce: z.string() });

/** Stores pending authorizations, their state hashed and their secrets sealed. */
export const postgresAuthorizations = (db: Queryable, ring: KeyRing) => ({
  /** Adds an authorization that may be used for so long. So many of the newest of a user and client are kept. */
  async add(
    { userId, state, redirectUri, returnTo, verifier, nonce, ...of }: PendingAuthorization,
    bounds: { readonly validForS: number; readonly keptMax: number },
  ) {
    const stateHash = hashOf(state);
    const bytes = Buffer.from(JSON.stringify({ verifier, nonce }));
    const client = { identity_provider: of.identityProvider, provider: of.provider };
    await insertAuthorization(db, {
      state_hash: stateHash,
      user_id: userId,
      ...client,
      redirect_uri: redirectUri,
      return_to: returnTo ?? null,
      sealed: sealWithRing(ring, bytes, place(stateHash)),
      valid_for_s: bounds.validForS,
    });
    await deleteOldest(db, { user_id: userId, ...client, kept_max: bounds.keptMax });
  },

  /**
   * Returns the address for the answer of the authorization that waits under this state; undefined also when there is
   * none.
   */
  async returnTo({ identityProvider, provider }: Client, state: string) {
    const { rows } = await findReturnTo(db, {
      state_hash: hashOf(state),
      identity_provider: identityProvider,
      provider,
    });
    return rows[0]?.return_to ?? undefined;
  },

  /**
   * Returns the identity provider that a code came from: the one of these that its user sent it to before, otherwise
   * that of the authorization that waits under the state, or without a state of the newest.
   */
  async identityProvider(
    sent: Omit<SentCode & AuthorizationQuery, 'identityProvider'>,
    among: readonly string[],
  ) {
    const before = await sentBeforeTo(db, ring, sent, among);
    if (before !== undefined) return before;
    const { userId, provider, state } = sent;
    const { rows } = await findNewest(db, {
      user_id: userId,
      provider,
      state_hash: state === undefined ? null : hashOf(state),
    });
    return rows[0]?.identity_provider;
  },
});

export const authorizationTable = (tx: Queryable, ring: KeyRing) => ({
  /** Consumes an authorization that waits for its code, and keeps it for an exchange that takes so long. */
  async consume(
    { userId, identityProvider, provider, state }: AuthorizationQuery,
    exchangedWithinS: number,
  ) {
    const { rows } = await consumeAuthorization(tx, {
      user_id: userId,
      identity_provider: identityProvider,
      provider,
      state_hash: state === undefined ? null : hashOf(state),
      within_s: exchangedWithinS,
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { state_hash: stateHash, redirect_uri: redirectUri } = row;
    const bytes = openWithRing(ring, row.sealed, place(stateHash));
    return { ...secrets.parse(JSON.parse(bytes.toString())), redirectUri, stateHash };
  },

  /** Makes an authorization wait for its code again. */
  async release({ stateHash }: ConsumedAuthorization) {
    await releaseAuthorization(tx, { state_hash: stateHash });
  },

  /** Deletes an authorization whose code was exchanged. Returns false when its user ended it meanwhile. */
  async complete({ stateHash }: ConsumedAuthorization) {
    const { rowCount } = await deleteAuthorization(tx, { state_hash: stateHash });
    return rowCount === 1;
  },

  /** Deletes authorizations that wait for their code, and those whose code is being exchanged. */
  async delete(userId: string, provider: Provider, identityProvider?: string) {
    await deleteOfUser(tx, {
      user_id: userId,
      provider,
      identity_provider: identityProvider ?? null,
    });
  },
});

/** Deletes authorizations and codes that can no longer be used, a bounded number at a time. */
export async function purgeAuthorizations(db: Queryable): Promise<void> {
  await purge(db);
  await purgeUsedCodes(db);
}

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

const insertAuthorization = statement(`
insert into pending_authorizations
       (state_hash, user_id, identity_provider, provider, redirect_uri, return_to, sealed, expires_at)
values (:state_hash, :user_id, :identity_provider, :provider, :redirect_uri, :return_to, :sealed,
        now() + make_interval(secs => :valid_for_s))`);

const deleteOldest = statement(`
delete from pending_authorizations where state_hash in (
  select state_hash from pending_authorizations
   where user_id = :user_id and identity_provider = :identity_provider and provider = :provider
     and consumed_at is null
   order by position desc offset :kept_max)`);

const findReturnTo = statement<{ return_to: string | null }>(`
select return_to from pending_authorizations
 where state_hash = :state_hash and identity_provider = :identity_provider and provider = :provider
   and ${WAITS}`);

const findNewest = statement<{ identity_provider: string }>(`
select identity_provider from pending_authorizations
 where user_id = :user_id and provider = :provider and ${WAITS}
   and (:state_hash::bytea is null or state_hash = :state_hash)
 order by position desc limit 1`);

const consumeAuthorization = statement<{
  state_hash: Buffer;
  redirect_uri: string;
  sealed: Buffer;
}>(`
update pending_authorizations
   set consumed_at = now(),
       expires_at = greatest(expires_at, now() + make_interval(secs => :within_s))
 where state_hash = (
         select state_hash from pending_authorizations
          where user_id = :user_id and identity_provider = :identity_provider
            and provider = :provider and ${WAITS}
            and (:state_hash::bytea is null or state_hash = :state_hash)
          order by position desc limit 1 for update)
returning state_hash, redirect_uri, sealed`);

const releaseAuthorization = statement(
  'update pending_authorizations set consumed_at = null where state_hash = :state_hash',
);

const deleteAuthorization = statement(
  'delete from pending_authorizations where state_hash = :state_hash',
);

const deleteOfUser = statement(`
delete from pending_authorizations
 where user_id = :user_id and provider = :provider
   and identity_provider = coalesce(:identity_provider, identity_provider)`);

const purge = statement(`
delete from pending_authorizations where state_hash in (
  select state_hash from pending_authorizations where expires_at <= now()
   limit ${PURGE_MAX} for update skip locked)`);
