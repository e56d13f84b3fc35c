import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { SecurityEventTable } from '../../../application/unit-of-work.js';

/**
 * Time for which events are remembered: longer than the greatest age of a token (30 days) and the difference of clocks.
 */
const KEPT_FOR = `interval '31 days'`;
const PURGE_MAX = 1_000;

/** Stores security events of providers, so that each is taken once. */
export const securityEventTable = (tx: pg.ClientBase): SecurityEventTable => ({
  async add(client, { jti, names, issuedAt }) {
    const { rowCount } = await tx.query(
      `insert into security_events (client, jti_hash, names, effect, issued_at)
       values ($1, $2, $3, 'none', $4) on conflict do nothing`,
      [client, hashOf(jti), names, issuedAt],
    );
    return rowCount === 1;
  },

  async recordEffect(client, jti, effect) {
    await tx.query('update security_events set effect = $3 where client = $1 and jti_hash = $2', [
      client,
      hashOf(jti),
      effect,
    ]);
  },
});

/** Deletes events that are too old to be accepted again, a bounded number at a time. */
export async function purgeSecurityEvents(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from security_events where (client, jti_hash) in (
       select client, jti_hash from security_events where received_at < now() - ${KEPT_FOR}
        limit ${PURGE_MAX} for update skip locked)`,
  );
}

const hashOf = (jti: string): Buffer => createHash('sha256').update(jti).digest();
