import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { PortalToken } from '../../../application/portal/ports.js';
import { isUserGone } from '../violation.js';

const EXPIRED_MAX = 100;

/** Tokens of portals. A new row takes expired ones along, so the table needs no sweeper. */
export const postgresPortalTokens = (pool: pg.Pool) => ({
  /** Returns false for a user who is gone. */
  async keep(token: PortalToken) {
    try {
      return (await insertToken(pool, rowOf(token))).rowCount === 1;
    } catch (error) {
      if (isUserGone(error)) return false;
      throw error;
    }
  },

  /** Returns the user of a token, which goes on counting. */
  async userOf(tokenHash: Buffer) {
    return (await findUser(pool, { token_hash: tokenHash })).rows[0]?.userId;
  },
});

export const portalTable = (tx: pg.ClientBase) => ({
  async keep(token: PortalToken) {
    await insertToken(tx, rowOf(token));
  },

  /** Takes a token, which counts once; undefined when there is no such token. */
  async take(tokenHash: Buffer, now: Date) {
    const { rows } = await takeToken(tx, { token_hash: tokenHash, now });
    const [taken] = rows;
    if (taken === undefined) return undefined;
    const { portalId, sessionEndsAt } = taken;
    return {
      ...taken,
      portalId: portalId ?? undefined,
      sessionEndsAt: sessionEndsAt ?? undefined,
    };
  },

  /** Ends the links and portals of a user, and returns the ids of the portals. */
  async end(userId: string) {
    const { rows } = await endPortals(tx, { user_id: userId });
    return rows.flatMap(({ portalId }) => portalId ?? []);
  },
});

const rowOf = ({ tokenHash, userId, clientId, origin, appearance, ...token }: PortalToken) => ({
  token_hash: tokenHash,
  user_id: userId,
  client_id: clientId,
  origin,
  appearance,
  expires_at: token.expiresAt,
  portal_id: token.portalId ?? null,
  session_ends_at: token.sessionEndsAt ?? null,
});

const insertToken = statement(`
with expired as (
  select token_hash from portal_tokens where expires_at <= now()
   limit ${EXPIRED_MAX} for update skip locked
), purged as (
  delete from portal_tokens where token_hash in (select token_hash from expired)
)
insert into portal_tokens
  (token_hash, user_id, client_id, origin, appearance, expires_at, portal_id, session_ends_at)
select :token_hash, user_id, :client_id, :origin, :appearance, :expires_at, :portal_id,
       :session_ends_at
  from users where user_id = :user_id and closed_at is null`);

const findUser = statement<{ userId: string }>(
  'select user_id as "userId" from portal_tokens where token_hash = :token_hash',
);

interface TokenRow extends Omit<PortalToken, 'portalId' | 'sessionEndsAt'> {
  readonly portalId: string | null;
  readonly sessionEndsAt: Date | null;
}

const takeToken = statement<TokenRow>(`
delete from portal_tokens where token_hash = :token_hash and expires_at > :now
returning token_hash as "tokenHash", user_id as "userId", client_id as "clientId", origin,
          appearance, expires_at as "expiresAt", portal_id as "portalId",
          session_ends_at as "sessionEndsAt"`);

const endPortals = statement<{ portalId: string | null }>(
  'delete from portal_tokens where user_id = :user_id returning portal_id as "portalId"',
);
