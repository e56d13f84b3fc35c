import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Authentication, FactorShown } from '../../../application/session/ports.js';

interface AuthenticationRow {
  readonly authenticatedAt: Date;
  /** Null: the user has no second factor. */
  readonly provedAt: Date | null;
  readonly amr: readonly string[] | null;
}

/** When and how users showed in their sessions who they are. */
export const sessionFactors = (pool: pg.Pool) => ({
  /** The factor was shown again. Does nothing for a session that is over. */
  async proveFactor(sessionId: string, { provedAt, amr }: FactorShown) {
    await saveFactor(pool, { session_id: sessionId, proved_at: provedAt, amr });
  },

  /** The password was shown again. Does nothing for a session that is over. */
  async provePassword(sessionId: string, at: Date) {
    await savePassword(pool, { session_id: sessionId, at });
  },

  /** Returns undefined when the session is over. */
  async authentication(sessionId: string): Promise<Authentication | undefined> {
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
