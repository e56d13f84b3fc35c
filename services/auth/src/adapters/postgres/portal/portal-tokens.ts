import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { PortalToken, PortalTokens } from '../../../application/portal/ports.js';
import { isUserGone } from '../violation.js';

const EXPIRED_MAX = 100;

/** Tokens of portals. A new row takes expired ones along, so the table needs no sweeper. */
export const postgresPortalTokens = (pool: pg.Pool): PortalTokens => ({
  async keep({ tokenHash, userId, clientId, origin, appearance, expiresAt, sessionEndsAt }) {
    try {
      const { rowCount } = await insertToken(pool, {
        token_hash: tokenHash,
        user_id: userId,
        client_id: clientId,
        origin,
        appearance,
        expires_at: expiresAt,
        session_ends_at: sessionEndsAt ?? null,
      });
      return rowCount === 1;
    } catch (error) {
      if (isUserGone(error)) return false;
      throw error;
    }
  },

  async take(tokenHash, now) {
    const { rows } = await takeToken(pool, { token_hash: tokenHash, now });
    const [taken] = rows;
    return taken && { ...taken, sessionEndsAt: taken.sessionEndsAt ?? undefined };
  },
});

const insertToken = statement(`
with expired as (
  select token_hash from portal_tokens where expires_at <= now()
   limit ${EXPIRED_MAX} for update skip locked
), purged as (
  delete from portal_tokens where token_hash in (select token_hash from expired)
)
insert into portal_tokens
  (token_hash, user_id, client_id, origin, appearance, expires_at, session_ends_at)
select :token_hash, user_id, :client_id, :origin, :appearance, :expires_at, :session_ends_at
  from users where user_id = :user_id and closed_at is null`);

const takeToken = statement<Omit<PortalToken, 'sessionEndsAt'> & { sessionEndsAt: Date | null }>(`
delete from portal_tokens where token_hash = :token_hash and expires_at > :now
   and not exists (select from users u where u.user_id = portal_tokens.user_id and closed_at is not null)
returning token_hash as "tokenHash", user_id as "userId", client_id as "clientId", origin,
          appearance, expires_at as "expiresAt", session_ends_at as "sessionEndsAt"`);
