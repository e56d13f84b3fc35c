import { createHash } from 'node:crypto';
import { inRetriedTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type { SecurityEvents } from '../../application/needs.js';
import type { Provider } from '../../domain/connection/events.js';
import {
  meaningFor,
  meaningOf,
  type SecurityEvent,
  type Subject,
} from '../../domain/security-event.js';
import { type ChecksOptions, doubt, endRevoked } from './checks.js';
import { doubleSha512 } from './refresh-token-index.js';
import { takeTurn } from './user-transaction.js';

/** Longer than a token may be old when it comes (30 days, and what clocks differ). */
const KEPT_FOR = `interval '31 days'`;
const PURGE_MAX = 1_000;

type Effect = 'none' | 'doubted' | 'ended';

/** Security events of providers, each taken once, with its effect in the same transaction. */
export const postgresSecurityEvents = (options: ChecksOptions): SecurityEvents => ({
  async take(provider, event, at) {
    await inRetriedTransaction(options.pool, async (tx) => {
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

/** On all connections it is about: several users may have connected an account. The gravest is given. */
async function takeEffect(
  tx: pg.PoolClient,
  options: ChecksOptions,
  taken: Taken,
): Promise<Effect> {
  const { provider, event } = taken;
  const { subject } = event;
  if (subject === undefined || meaningOf(event.names).kind === 'none') return 'none';
  // In one order, so that two events never wait for each other.
  const found = await findAbout(tx, provider, subject);
  // Tokens of some providers all begin alike: then it names none of them.
  if (subject.by === 'token_prefix' && found.length > 1) return 'none';
  const effects = new Set<Effect>();
  for (const { user_id: userId } of found) {
    await takeTurn(tx, userId);
    effects.add(await takeEffectOn(tx, options, { ...taken, subject, userId }));
  }
  return (['ended', 'doubted'] as const).find((effect) => effects.has(effect)) ?? 'none';
}

async function takeEffectOn(
  tx: pg.PoolClient,
  options: ChecksOptions,
  { provider, event, at, subject, userId }: TakenByUser,
): Promise<Effect> {
  // Read in the user's turn: a connect may have come first, with this account or another one.
  const [row] = await findAbout(tx, provider, subject, userId);
  if (row === undefined) return 'none';

  const { connection_id: connectionId, connected_at: connectedAt } = row;
  const meaning = meaningFor(meaningOf(event.names), event.happenedAt, connectedAt);
  if (meaning.kind === 'end') {
    // RISC says that the account is disabled, not that its tokens ended: enabled again, they might live.
    const mayLiveOn = meaning.reason === 'account_disabled';
    const accountId = mayLiveOn ? row.account_id : undefined;
    const ended = { connectionId, reason: meaning.reason, accountId, at };
    return (await endRevoked(tx, options, ended)) ? 'ended' : 'none';
  }
  if (meaning.kind === 'none') return 'none';
  return (await doubt(tx, connectionId)) ? 'doubted' : 'none';
}

interface TakenByUser extends Taken {
  readonly subject: Subject;
  readonly userId: string;
}

interface ConnectionAbout {
  readonly user_id: string;
  readonly connection_id: string;
  readonly account_id: string;
  readonly connected_at: Date;
}

const NAMED_BY: Readonly<Record<Subject['by'], string>> = {
  account: 'c.account_id',
  token_hash: 'k.refresh_token_hash',
  token_prefix: 'k.refresh_prefix_hash',
};

async function findAbout(
  tx: pg.ClientBase,
  provider: Provider,
  { by, value }: Subject,
  userId?: string,
): Promise<readonly ConnectionAbout[]> {
  const named = by === 'token_prefix' ? doubleSha512(value) : value;
  const { rows } = await tx.query<ConnectionAbout>(
    `select c.user_id, c.connection_id, c.account_id, c.connected_at
       from connections c left join credentials k using (connection_id)
      where c.provider = $1 and ${NAMED_BY[by]} = $2 and c.user_id = coalesce($3, c.user_id)
      order by c.user_id`,
    [provider, named, userId],
  );
  return rows;
}

const hashOf = (jti: string): Buffer => createHash('sha256').update(jti).digest();
