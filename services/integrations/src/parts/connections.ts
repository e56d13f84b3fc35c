import { remembered } from '@junction/async';
import type { Meter } from '@junction/service-kit/process';
import type pg from 'pg';
import { connectionsByStatus, revocationBacklog } from '../adapters/postgres/backlogs.js';
import { CLIENT_LABELS, clientLabels } from './client-labels.js';

const SECOND_MS = 1_000;
const STATUSES_FRESH_MS = 60 * SECOND_MS;

/** Registers how many connections there are, and which tokens wait to be revoked at their provider. */
export function measureConnections(meter: Meter, pool: pg.Pool): void {
  const statuses = remembered(STATUSES_FRESH_MS, () => connectionsByStatus(pool));
  meter.gauge(
    'junction_connections',
    'Connections by identity provider, kind and status, read once a minute.',
    [...CLIENT_LABELS, 'status'],
    async () =>
      (await statuses()).map(({ identityProvider, provider, status, count }) => ({
        value: count,
        labels: { identity_provider: identityProvider, provider, status },
      })),
  );

  const backlog = remembered(SECOND_MS, () => revocationBacklog(pool));
  meter.gauge(
    'junction_revocations_pending',
    'Tokens that are still to be revoked at their provider.',
    CLIENT_LABELS,
    async () =>
      (await backlog()).map(({ client, count }) => ({
        value: count,
        labels: clientLabels(client),
      })),
  );
  meter.gauge(
    'junction_revocation_oldest_age_seconds',
    'How long the oldest token that is to be revoked has been waiting.',
    CLIENT_LABELS,
    async () =>
      (await backlog()).map(({ client, oldestS }) => ({
        value: oldestS,
        labels: clientLabels(client),
      })),
  );
}
