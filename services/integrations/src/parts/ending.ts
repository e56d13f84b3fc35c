import { remembered } from '@junction/async';
import type { Queryable } from '@junction/eventsourcing/postgres';
import { publishErased, type ServiceParts } from '@junction/service';
import type { Meter } from '@junction/service/process';
import { INTEGRATIONS_SOURCE, INTEGRATIONS_TOPIC } from '../adapters/kafka/publication.js';
import { postgresChecks } from '../adapters/postgres/ending/checks.js';
import { postgresRevocations, revocationBacklog } from '../adapters/postgres/ending/revocations.js';
import { purgeSecurityEvents } from '../adapters/postgres/ending/security-events.js';
import { type TransactionOptions, transactionOn } from '../adapters/postgres/unit-of-work.js';
import { askProvider } from '../application/ending/ask-provider.js';
import { checker } from '../application/ending/check.js';
import { deleteUsers } from '../application/ending/delete-users.js';
import { revokeDue } from '../application/ending/revoke.js';
import type { Ports } from '../application/ports.js';
import type { Refresher } from '../application/refreshing/ports.js';
import { CHECK_EVERY_MS } from '../domain/check-interval.js';
import { clientGauge } from './client-measures.js';
import { type IntegrationsPlatform, monotonicMs, PURGE_EVERY_MS } from './platform.js';

const SECOND_MS = 1_000;

/** Constructs what ending needs. */
export const openEnding = ({ pool, ring, vault }: IntegrationsPlatform) => ({
  checks: postgresChecks({ pool, vault, monotonicMs }),
  revocations: postgresRevocations(pool, ring),
});

/** Starts the checks of connections, and the revocations of tokens of those that ended. */
export function startEnding(
  { closing, job, meter, onCommitted, pool }: IntegrationsPlatform,
  ports: Ports,
  refresher: Refresher,
): void {
  const { sweep, checkSuspected, stop } = checker(ports, askProvider(ports, refresher));
  const revoke = revokeDue(ports);
  const atOnce = { atOnce: true };
  // Before its jobs: they wait for the checks under way, which this ends.
  closing.add('checker', stop, (stop) => stop(), atOnce);
  const sweepSome = async () => ((await sweep()) ? 0 : undefined);
  const revokeSome = async () => ((await revoke()) > 0 ? 0 : undefined);
  job('sweep of connections', 4 * SECOND_MS, sweepSome, atOnce);
  // Suspected connections are checked, and tokens revoked, with the commit that says so; the intervals are for a wake
  // that was lost.
  onCommitted(job('suspected', 5 * SECOND_MS, checkSuspected, atOnce).wake);
  onCommitted(job('revocations', SECOND_MS, revokeSome, atOnce).wake);
  job('purge of security events', PURGE_EVERY_MS, async () => purgeSecurityEvents(pool), atOnce);
  measureChecks(meter, ports);
  measureRevocations(meter, pool);
}

function measureChecks(meter: Meter, { checks, providers }: Ports): void {
  const asked = [...providers].filter(([, { introspectionsPerS }]) => introspectionsPerS);
  const overdue = async ([client]: (typeof asked)[number]) => ({
    client,
    overdueMs: await checks.overdueMs(client),
  });
  const gauge = clientGauge(meter, async () => Promise.all(asked.map(overdue)));
  gauge(
    'junction_connection_check_delay_seconds',
    'How long a revocation at the provider can stay unnoticed now, if no other sign of it comes.',
    ({ overdueMs }) => (CHECK_EVERY_MS + overdueMs) / SECOND_MS,
  );
}

function measureRevocations(meter: Meter, pool: Queryable): void {
  const backlog = remembered(SECOND_MS, () => revocationBacklog(pool));
  const gauge = clientGauge(meter, backlog);
  gauge(
    'junction_revocations_pending',
    'Tokens that are still to be revoked at their provider.',
    ({ count }) => count,
  );
  gauge(
    'junction_revocation_oldest_age_seconds',
    'How long the oldest token that is to be revoked has been waiting.',
    ({ oldestS }) => oldestS,
  );
}

/** Returns what deletes users, and publishes how many connections of each were deleted. */
export const usersDeleted =
  (
    { committed, log }: IntegrationsPlatform,
    options: TransactionOptions,
  ): NonNullable<ServiceParts['usersDeleted']> =>
  async (tx, users) => {
    const deleted = await deleteUsers(log)(transactionOn(tx, options), users);
    const countsOf = (userId: string) => ({ connections: deleted.get(userId) ?? 0 });
    await publishErased(
      tx,
      { service: 'integrations', topic: INTEGRATIONS_TOPIC, source: INTEGRATIONS_SOURCE },
      users.map(({ userId }) => ({ userId, counts: countsOf(userId) })),
    );
    return committed;
  };
