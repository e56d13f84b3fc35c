import type { Meter } from '@junction/service-kit/process';
import type { Backlog, RefreshQueue } from '../adapters/postgres/refreshing/due-refreshes.js';
import type { Ports } from '../application/ports.js';
import { type Refresher, refresher } from '../application/refreshing/refresh.js';
import { refreshAhead } from '../application/refreshing/refresh-ahead.js';
import type { TokenRequests } from '../application/token-requests.js';
import type { ClientName } from '../domain/connection/events.js';
import { CLIENT_LABELS, clientLabels } from './client-labels.js';
import type { IntegrationsPlatform } from './platform.js';

/**
 * Longest interval between two looks at the queue: new connections bring tokens that fall due, and claims that a dead
 * replica left come back.
 */
const LOOK_EVERY_MS = 5_000;

/** Starts refreshing, on demand and ahead of expiry, for each client by itself. */
export function startRefreshing(
  platform: IntegrationsPlatform,
  ports: Ports,
  requests: TokenRequests,
): Refresher {
  const onDemand = refresher(ports, requests);
  platform.closing.add('token requests', onDemand, (one) => one.drain(), { atOnce: true });
  for (const client of ports.providers.keys()) {
    const turn = refreshAhead(ports, onDemand, client, () => refreshing.wake());
    const refreshing = platform.job(`${client} refreshes`, LOOK_EVERY_MS, turn, {
      atOnce: true,
    });
  }
  return onDemand;
}

/** Registers gauges of the queue of due refreshes. Returns the counter of refreshes. */
export function measureRefreshes(
  meter: Meter,
  queue: Pick<RefreshQueue, 'backlog'>,
  clients: readonly ClientName[],
): Ports['refreshEnded'] {
  const gauge = (name: string, help: string, read: (backlog: Backlog) => number): void =>
    meter.gauge(name, help, CLIENT_LABELS, async () =>
      (await queue.backlog(clients)).map((backlog) => ({
        value: read(backlog),
        labels: clientLabels(backlog.client),
      })),
    );
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
  const count = meter.counter(
    'junction_token_refreshes_total',
    'Refreshes of tokens, by what came of them.',
    [...CLIENT_LABELS, 'outcome'],
  );
  return (client, outcome) => count({ ...clientLabels(client), outcome });
}
