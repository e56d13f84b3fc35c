import type pg from 'pg';
import type { PortalToken, PortalTokens } from '../../../application/portal/ports.js';
import { isUserGone } from '../violation.js';

const EXPIRED_MAX = 100;

/** Tokens of portals. A new row takes expired ones along, so the table needs no sweeper. */
export const postgresPortalTokens = (pool: pg.Pool): PortalTokens => ({
  async keep({ tokenHash, userId, clientId, origin, appearance, expiresAt, sessionEndsAt }) {
    try {
      await pool.query(
        `with expired as (
           select token_hash from portal_tokens where expires_at <= now()
            limit ${EXPIRED_MAX} for update skip locked
         ), purged as (
           delete from portal_tokens where token_hash in (select token_hash from expired)
         )
         insert into portal_tokens
           (token_hash, user_id, client_id, origin, appearance, expires_at, session_ends_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [tokenHash, userId, clientId, origin, appearance, expiresAt, sessionEndsAt ?? null],
      );
      return true;
    } catch (error) {
      if (isUserGone(error)) return false;
      throw error;
    }
  },

  async take(tokenHash, now) {
    const { rows } = await pool.query<
      Omit<PortalToken, 'sessionEndsAt'> & { sessionEndsAt: Date | null }
    >(
      `delete from portal_tokens where token_hash = $1 and expires_at > $2
       returning token_hash as "tokenHash", user_id as "userId", client_id as "clientId", origin,
                 appearance, expires_at as "expiresAt", session_ends_at as "sessionEndsAt"`,
      [tokenHash, now],
    );
    const [taken] = rows;
    return taken && { ...taken, sessionEndsAt: taken.sessionEndsAt ?? undefined };
  },
});
