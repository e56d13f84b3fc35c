import type pg from 'pg';
import type { FactorShown, Sessions } from '../../application/session/ports.js';

/** How the second factor was shown in sessions of users who have one. */
export const sessionFactors = (pool: pg.Pool): Pick<Sessions, 'proveFactor' | 'factorShown'> => ({
  proveFactor: async (sessionId, proof) => saveProof(pool, sessionId, proof),

  async factorShown(sessionId) {
    const { rows } = await pool.query<FactorShown>({
      name: 'auth/factor-shown',
      text: 'select proved_at as "provedAt", amr from session_factors where session_id = $1',
      values: [sessionId],
    });
    return rows[0];
  },
});

/**
 * Whether the user of a session that is begun in this transaction has a factor. The session's foreign key has waited
 * for whoever was adding the first one.
 */
export async function hasFactorIn(
  tx: Pick<pg.ClientBase, 'query'>,
  sessionId: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from sessions s
      where session_id = $1
        and (exists (select from totp_secrets t
                      where t.user_id = s.user_id and t.confirmed_at is not null)
             or exists (select from passkeys p where p.user_id = s.user_id))`,
    [sessionId],
  );
  return rowCount === 1;
}

export async function saveProof(
  db: Pick<pg.ClientBase, 'query'>,
  sessionId: string,
  { provedAt, amr }: FactorShown,
): Promise<void> {
  await db.query(
    `insert into session_factors (session_id, proved_at, amr)
     select session_id, $2, $3 from sessions where session_id = $1
     on conflict (session_id) do update set proved_at = excluded.proved_at, amr = excluded.amr`,
    [sessionId, provedAt, amr],
  );
}
