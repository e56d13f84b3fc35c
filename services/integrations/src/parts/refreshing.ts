import { dueBacklog, refreshQueue } from '../adapters/postgres/refreshing/due-refreshes.js';
import { postgresLeases } from '../adapters/postgres/refreshing/refresh-leases.js';
import { purgeRefreshes } from '../adapters/postgres/refreshing/refreshes.js';
import type { Ports } from '../application/ports.js';
import type { Refresher, RefreshOutcome } from '../application/refreshing/ports.js';
import { refresher } from '../application/refreshing/refresh.js';
import { refreshAhead } from '../application/refreshing/refresh-ahead.js';
import type { TokenRequests } from '../application/token-requests.js';
import type { ClientName } from '../domain/connection/events.js';
import { CLIENT_LABELS, clientGauge, clientLabels } from './client-measures.js';
import { type IntegrationsPlatform, monotonicMs, PURGE_EVERY_MS } from './platform.js';

/**
 * Longest interval between two looks at the queue: new connections bring tokens that fall due, and claims that a dead
 * replica left come back.
 */
const LOOK_EVERY_MS = 5_000;

/** Starts refreshing, on demand and ahead of expiry, for each client by itself. */
export function startRefreshing(
  { closing, job, meter, pool }: IntegrationsPlatform,
  ports: Ports,
  requests: TokenRequests,
): Refresher {
  const onDemand = refresher(ports, requests);
  closing.add('token requests', onDemand, (one) => one.drain(), { atOnce: true });
  const clients = [...ports.providers.keys()];
  for (const client of clients) {
    const turn = refreshAhead(ports, onDemand, client, () => refreshing.wake());
    const refreshing = job(`${client} refreshes`, LOOK_EVERY_MS, turn, { atOnce: true });
  }
  job('purge of refreshes', PURGE_EVERY_MS, async () => purgeRefreshes(pool), { atOnce: true });
  const gauge = clientGauge(meter, async () => dueBacklog(pool, clients));
  gauge(
    'junction_token_refreshes_due',
    'Tokens whose refresh ahead of expiry is due.',
    ({ due }) => due,
  );
  gauge(
    'junction_token_refresh_oldest_due_seconds',
    'How long the refresh that is due longest has been due.',
    ({ oldestS }) => oldestS,
  );
  return onDemand;
}

/** Constructs what refreshing needs, with the counter of refreshes. */
export function openRefreshing({ meter, pool, vault }: IntegrationsPlatform) {
  const count = meter.counter(
    'junction_token_refreshes_total',
    'Refreshes of tokens, by what came of them.',
    [...CLIENT_LABELS, 'outcome'],
  );
  return {
    dueRefreshes: refreshQueue(pool),
    leases: postgresLeases({ pool, vault, monotonicMs }),
    refreshEnded: (client: ClientName, outcome: RefreshOutcome) =>
      count({ ...clientLabels(client), outcome }),
  };
}
