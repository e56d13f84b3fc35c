import { remembered } from '@junction/async';
import { connectionsByStatus } from '../adapters/postgres/connections/connection-counts.js';
import { CLIENT_LABELS } from './client-measures.js';
import type { IntegrationsPlatform } from './platform.js';

const FRESH_MS = 60_000;

/** Registers how many connections there are. */
export function measureConnections({ meter, pool }: IntegrationsPlatform): void {
  const counts = remembered(FRESH_MS, () => connectionsByStatus(pool));
  meter.gauge(
    'junction_connections',
    'Connections by identity provider, kind and status, read once a minute.',
    [...CLIENT_LABELS, 'status'],
    async () =>
      (await counts()).map(({ identityProvider, provider, status, count }) => ({
        value: count,
        labels: { identity_provider: identityProvider, provider, status },
      })),
  );
}
