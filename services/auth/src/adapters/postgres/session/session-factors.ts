import type pg from 'pg';
import type { Sessions } from '../../../application/session/ports.js';

type SessionProofs = Pick<Sessions, 'proveFactor' | 'provePassword' | 'authentication'>;

interface AuthenticationRow {
  readonly authenticatedAt: Date;
  /** Null: the user has no second factor. */
  readonly provedAt: Date | null;
  readonly amr: readonly string[] | null;
}

const AUTHENTICATION = `
select greatest(s.started_at, p.proved_at, f.proved_at) as "authenticatedAt",
       f.proved_at as "provedAt", f.amr
  from sessions s
       left join session_passwords p using (session_id)
       left join session_factors f using (session_id)
 where session_id = $1`;

/** When and how users showed in their sessions who they are. */
export const sessionFactors = (pool: pg.Pool): SessionProofs => ({
  async proveFactor(sessionId, { provedAt, amr }) {
    await pool.query(
      `insert into session_factors (session_id, proved_at, amr)
       select session_id, $2, $3 from sessions where session_id = $1
       on conflict (session_id) do update set proved_at = excluded.proved_at, amr = excluded.amr`,
      [sessionId, provedAt, amr],
    );
  },

  async provePassword(sessionId, at) {
    await pool.query(
      `insert into session_passwords (session_id, proved_at)
       select session_id, $2 from sessions where session_id = $1
       on conflict (session_id) do update set proved_at = excluded.proved_at`,
      [sessionId, at],
    );
  },

  async authentication(sessionId) {
    const { rows } = await pool.query<AuthenticationRow>({
      name: 'auth/authentication',
      text: AUTHENTICATION,
      values: [sessionId],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { authenticatedAt, provedAt, amr } = row;
    return { authenticatedAt, ...(provedAt && amr && { proof: { provedAt, amr } }) };
  },
});
