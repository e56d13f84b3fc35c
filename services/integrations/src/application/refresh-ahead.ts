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
 * breaker), nothing is begun: a token that somebody waits for is refreshed on their demand all the same.
 */
export function refreshAhead(
  ports: Pick<Ports, 'dueRefreshes' | 'log' | 'monotonicMs'>,
  refresher: Pick<Refresher, 'renew'>,
  client: ClientName,
  wake: () => void,
): () => Promise<number> {
  let underWay = 0;
  let isMoreDue = false;
  let restsUntilMs = 0;

  const begin = async (due: DueRefresh): Promise<void> => {
    underWay += 1;
    try {
      await refresher.renew(due);
    } catch (error) {
      restsUntilMs = Math.max(restsUntilMs, ports.monotonicMs() + askedRestMs(error));
      // What is foreseen is written down with the connection.
      if (!(error instanceof AppError)) ports.log.warn({ err: error, client }, 'refresh failed');
    } finally {
      underWay -= 1;
      if (isMoreDue) wake();
    }
  };

  return async () => {
    const restMs = restsUntilMs - ports.monotonicMs();
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
