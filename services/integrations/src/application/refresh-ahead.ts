import { AppError } from '@junction/errors';
import type { ClientName } from '../domain/connection/events.js';
import type { DueRefresh, Ports } from './ports.js';
import { askedRestMs } from './provider-refusal.js';
import type { Refresher } from './refresh.js';

/** At one provider, of one replica: enough for 100 a second, few enough not to be taken for an attack. */
const AT_ONCE = 16;
/** The shortest rest: what is due and not given to us is in the hands of another replica. */
const REST_MIN_MS = 100;

/**
 * Refreshes what is due of a client before anybody waits for it. A turn begins what there is room for
 * and gives the milliseconds until the next is worth it; when more waits than there is room for, `wake`
 * is called as soon as there is. While the provider wants to be left alone (Retry-After, an open
 * breaker), as three connections at a time have heard, nothing is begun: a token that somebody waits for is refreshed
 * on their demand all the same.
 */
export function refreshAhead(
  ports: Pick<Ports, 'dueRefreshes' | 'log' | 'monotonicMs'>,
  refresher: Pick<Refresher, 'renew'>,
  client: ClientName,
  wake: () => void,
): () => Promise<number> {
  let underWay = 0;
  let isMoreDue = false;
  const waitUntilMs = new Map<string, number>();

  const begin = async (due: DueRefresh): Promise<void> => {
    underWay += 1;
    try {
      await refresher.renew(due);
    } catch (error) {
      const restMs = askedRestMs(error instanceof AppError ? error.cause : error);
      if (restMs > 0) waitUntilMs.set(due.connectionId, ports.monotonicMs() + restMs);
      // What is foreseen is written down with the connection.
      if (!(error instanceof AppError)) ports.log.warn({ err: error, client }, 'refresh failed');
    } finally {
      underWay -= 1;
      if (isMoreDue) wake();
    }
  };

  return async () => {
    const restMs = restOf(waitUntilMs, ports.monotonicMs());
    if (restMs > 0) return restMs;
    const room = AT_ONCE - underWay;
    const due = room > 0 ? await ports.dueRefreshes.claim(client, room) : [];
    isMoreDue = due.length === room;
    for (const each of due) void begin(each);
    if (isMoreDue) return Number.POSITIVE_INFINITY;
    const nextInMs = await ports.dueRefreshes.nextInMs(client);
    return Math.max(REST_MIN_MS, nextInMs ?? Number.POSITIVE_INFINITY);
  };
}

/**
 * How long at least three connections are asked to wait: a provider may limit one account alone. Forgets those that
 * wait no more.
 */
function restOf(waitUntilMs: Map<string, number>, nowMs: number): number {
  for (const [connectionId, untilMs] of waitUntilMs) {
    if (untilMs <= nowMs) waitUntilMs.delete(connectionId);
  }
  const [, , third] = [...waitUntilMs.values()].sort((a, b) => b - a);
  return third === undefined ? 0 : third - nowMs;
}
