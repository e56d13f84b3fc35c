import { createHash } from 'node:crypto';
import { inTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type { SecurityEvents } from '../../application/needs.js';
import type { Provider } from '../../domain/connection/events.js';
import { meaningFor, meaningOf, type SecurityEvent } from '../../domain/security-event.js';
import { type ChecksOptions, doubt, endRevoked } from './checks.js';
import { takeTurn } from './user-transaction.js';

/** Longer than a token may be old when it comes (30 days, and what clocks differ). */
const KEPT_FOR = `interval '31 days'`;
const PURGE_MAX = 1_000;

type Effect = 'none' | 'doubted' | 'ended';

/** Security events of providers, each taken once, with its effect in the same transaction. */
export const postgresSecurityEvents = (options: ChecksOptions): SecurityEvents => ({
  async take(provider, event, at) {
    await inTransaction(options.pool, async (tx) => {
      if (!(await isNew(tx, provider, event))) return;
      const effect = await takeEffect(tx, options, { provider, event, at });
      if (effect === 'none') return;
      await tx.query(
        'update security_events set effect = $3 where provider = $1 and jti_hash = $2',
        [provider, hashOf(event.jti), effect],
      );
    });
    options.afterCommit();
  },
});

/** Deletes what no token that is still taken could repeat, a bounded number at a time. */
export async function purgeSecurityEvents(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from security_events where (provider, jti_hash) in (
       select provider, jti_hash from security_events where received_at < now() - ${KEPT_FOR}
        limit ${PURGE_MAX} for update skip locked)`,
  );
}

async function isNew(
  tx: pg.ClientBase,
  provider: Provider,
  { jti, names, issuedAt }: SecurityEvent,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into security_events (provider, jti_hash, names, effect, issued_at)
     values ($1, $2, $3, 'none', $4) on conflict do nothing`,
    [provider, hashOf(jti), names, issuedAt],
  );
  return rowCount === 1;
}

interface Taken {
  readonly provider: Provider;
  readonly event: SecurityEvent;
  readonly at: Date;
}

/** On all connections of the account: several users may have connected it. The gravest is given. */
async function takeEffect(
  tx: pg.PoolClient,
  options: ChecksOptions,
  taken: Taken,
): Promise<Effect> {
  const { provider, event } = taken;
  if (event.accountId === undefined || meaningOf(event.names).kind === 'none') return 'none';
  // In one order, so that two events never wait for each other.
  const { rows } = await tx.query<{ user_id: string }>(
    'select user_id from connections where provider = $1 and account_id = $2 order by user_id',
    [provider, event.accountId],
  );
  const effects = new Set<Effect>();
  for (const { user_id: userId } of rows) {
    await takeTurn(tx, userId);
    effects.add(await takeEffectOn(tx, options, taken, userId));
  }
  return (['ended', 'doubted'] as const).find((effect) => effects.has(effect)) ?? 'none';
}

async function takeEffectOn(
  tx: pg.PoolClient,
  options: ChecksOptions,
  { provider, event, at }: Taken,
  userId: string,
): Promise<Effect> {
  // Read in the user's turn: a connect may have come first, with this account or another one.
  const { rows } = await tx.query<{ connection_id: string; connected_at: Date }>(
    `select connection_id, connected_at from connections
      where user_id = $1 and provider = $2 and account_id = $3`,
    [userId, provider, event.accountId],
  );
  const [row] = rows;
  if (row === undefined) return 'none';

  const { connection_id: connectionId, connected_at: connectedAt } = row;
  const meaning = meaningFor(meaningOf(event.names), event.happenedAt, connectedAt);
  if (meaning.kind === 'end') {
    const ended = { connectionId, reason: meaning.reason, at };
    return (await endRevoked(tx, options, ended)) ? 'ended' : 'none';
  }
  if (meaning.kind === 'none') return 'none';
  return (await doubt(tx, connectionId)) ? 'doubted' : 'none';
}

const hashOf = (jti: string): Buffer => createHash('sha256').update(jti).digest();
