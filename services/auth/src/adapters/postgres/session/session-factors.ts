import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Sessions } from '../../../application/session/ports.js';

type SessionProofs = Pick<Sessions, 'proveFactor' | 'provePassword' | 'authentication'>;

interface AuthenticationRow {
  readonly authenticatedAt: Date;
  /** Null: the user has no second factor. */
  readonly provedAt: Date | null;
  readonly amr: readonly string[] | null;
}

/** When and how users showed in their sessions who they are. */
export const sessionFactors = (pool: pg.Pool): SessionProofs => ({
  async proveFactor(sessionId, { provedAt, amr }) {
    await saveFactor(pool, { session_id: sessionId, proved_at: provedAt, amr });
  },

  async provePassword(sessionId, at) {
    await savePassword(pool, { session_id: sessionId, at });
  },

  async authentication(sessionId) {
    const { rows } = await findAuthentication(pool, { session_id: sessionId });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { authenticatedAt, provedAt, amr } = row;
    return { authenticatedAt, ...(provedAt && amr && { proof: { provedAt, amr } }) };
  },
});

const saveFactor = statement(`
insert into session_factors (session_id, proved_at, amr)
select session_id, :proved_at, :amr from sessions where session_id = :session_id
on conflict (session_id) do update set proved_at = excluded.proved_at, amr = excluded.amr`);

const savePassword = statement(`
insert into session_passwords (session_id, proved_at)
select session_id, :at from sessions where session_id = :session_id
on conflict (session_id) do update set proved_at = excluded.proved_at`);

const findAuthentication = statement<AuthenticationRow>(
  `
select greatest(s.started_at, p.proved_at, f.proved_at) as "authenticatedAt",
       f.proved_at as "provedAt", f.amr
  from sessions s
       left join session_passwords p using (session_id)
       left join session_factors f using (session_id)
 where session_id = :session_id`,
  'auth/authentication',
);
