import type { Ports } from '../application/ports.js';
import type { Refresher } from '../application/refreshing/ports.js';
import { refresher } from '../application/refreshing/refresh.js';
import { refreshAhead } from '../application/refreshing/refresh-ahead.js';
import type { TokenRequests } from '../application/token-requests.js';
import type { IntegrationsPlatform } from './platform.js';

/**
 * Longest interval between two looks at the queue: new connections bring tokens that fall due, and claims that a dead
 * replica left come back.
 */
const LOOK_EVERY_MS = 5_000;

/** Starts refreshing, on demand and ahead of expiry, for each client by itself. */
export function startRefreshing(
  { closing, job }: IntegrationsPlatform,
  ports: Ports,
  requests: TokenRequests,
): Refresher {
  const onDemand = refresher(ports, requests);
  closing.add('token requests', onDemand, (one) => one.drain(), { atOnce: true });
  for (const client of ports.providers.keys()) {
    const turn = refreshAhead(ports, onDemand, client, () => refreshing.wake());
    const refreshing = job(`${client} refreshes`, LOOK_EVERY_MS, turn, { atOnce: true });
  }
  return onDemand;
}
