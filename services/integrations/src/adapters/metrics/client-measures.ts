import { remembered } from '@junction/async';
import type { Meter } from '@junction/service/process';
import type pg from 'pg';
import type { Ports } from '../../application/ports.js';
import { CHECK_EVERY_MS } from '../../domain/check-interval.js';
import { type ClientName, clientNamed } from '../../domain/connection/events.js';
import { connectionsByStatus } from '../postgres/connections/connection-counts.js';
import { revocationBacklog } from '../postgres/ending/revocations.js';
import { dueBacklog } from '../postgres/refreshing/due-refreshes.js';

const SECOND_MS = 1_000;
const CONNECTIONS_FRESH_MS = 60 * SECOND_MS;

/** Labels of metrics that are counted by client. */
const CLIENT_LABELS = ['identity_provider', 'provider'] as const;

function clientLabels(name: ClientName) {
  const { identityProvider, provider } = clientNamed(name);
  return { identity_provider: identityProvider, provider };
}

/** Registers the counter of refreshes, by what came of them. */
export function refreshCounter(meter: Meter): Ports['refreshEnded'] {
  const count = meter.counter(
    'junction_token_refreshes_total',
    'Refreshes of tokens, by what came of them.',
    [...CLIENT_LABELS, 'outcome'],
  );
  return (client, outcome) => count({ ...clientLabels(client), outcome });
}

/** Registers the gauges of connections, and of what is to be refreshed, checked and revoked. */
export function measureClients(
  meter: Meter,
  pool: pg.Pool,
  { checks, providers }: Pick<Ports, 'checks' | 'providers'>,
): void {
  measureConnections(meter, pool);
  registerByClient(meter, async () => dueBacklog(pool, [...providers.keys()]), [
    [
      'junction_token_refreshes_due',
      'Tokens whose refresh ahead of expiry is due.',
      ({ due }) => due,
    ],
    [
      'junction_token_refresh_oldest_due_seconds',
      'Time since the most overdue refresh fell due.',
      ({ oldestS }) => oldestS,
    ],
  ]);

  const asked = [...providers].filter(([, { introspectionsPerS }]) => introspectionsPerS);
  const overdue = async ([client]: (typeof asked)[number]) => ({
    client,
    overdueMs: await checks.overdueMs(client),
  });
  registerByClient(meter, async () => Promise.all(asked.map(overdue)), [
    [
      'junction_connection_check_delay_seconds',
      'Longest time that a revocation at the provider can stay unnoticed now, if no other sign of it comes.',
      ({ overdueMs }) => (CHECK_EVERY_MS + overdueMs) / SECOND_MS,
    ],
  ]);

  registerByClient(
    meter,
    remembered(SECOND_MS, () => revocationBacklog(pool)),
    [
      [
        'junction_revocations_pending',
        'Tokens that are still to be revoked at their provider.',
        ({ count }) => count,
      ],
      [
        'junction_revocation_oldest_age_seconds',
        'Time for which the oldest token that is to be revoked has waited.',
        ({ oldestS }) => oldestS,
      ],
    ],
  );
}

function measureConnections(meter: Meter, pool: pg.Pool): void {
  const counts = remembered(CONNECTIONS_FRESH_MS, () => connectionsByStatus(pool));
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

/** Registers gauges that have a value for every client that one read gives. */
function registerByClient<Row extends { readonly client: ClientName }>(
  meter: Meter,
  read: () => Promise<readonly Row[]>,
  gauges: readonly (readonly [name: string, help: string, valueOf: (row: Row) => number])[],
): void {
  for (const [name, help, valueOf] of gauges) {
    meter.gauge(name, help, CLIENT_LABELS, async () =>
      (await read()).map((row) => ({ value: valueOf(row), labels: clientLabels(row.client) })),
    );
  }
}
