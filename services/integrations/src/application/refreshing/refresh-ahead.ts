import { AppError } from '@junction/errors';
import type { ClientName } from '../../domain/connection/events.js';
import type { Ports } from '../ports.js';
import { askedRestMs } from '../provider-refusal.js';
import type { DueRefresh, Refresher } from './ports.js';

/**
 * Refreshes at once, of one replica at one provider: enough for 100 a second, few enough not to be taken for an attack.
 */
const AT_ONCE = 16;
/**
 * Milliseconds between the starts of two refreshes: a provider that refuses ten thousand at once answers so soon that
 * sixteen of them would keep the thread from everybody else.
 */
const APART_MS = 10;
/** Refreshes that one turn starts at once. */
const STARTED_MAX = 4;
/** Milliseconds of the shortest rest: a refresh that is due and not claimed here is in the hands of another replica. */
const REST_MIN_MS = 100;

/**
 * Returns the turn that refreshes a client's due tokens before a caller waits for them. A turn starts as many
 * refreshes as there is room for, a few apart, and returns the milliseconds until the next turn is worth it; when
 * more refreshes wait, `wake` is called as soon as there is room. While the provider wants to be left alone (Retry-
 * After, an open breaker), as three connections at a time were answered, no refresh is started here: a token that a
 * caller waits for is refreshed on demand all the same.
 */
export function refreshAhead(
  ports: Pick<Ports, 'dueRefreshes' | 'log' | 'monotonicMs'>,
  refresher: Pick<Refresher, 'renew'>,
  client: ClientName,
  wake: () => void,
): () => Promise<number> {
  let underWay = 0;
  let isMoreDue = false;
  let paceUntilMs = 0;
  const waitUntilMs = new Map<string, number>();

  const begin = async (due: DueRefresh): Promise<void> => {
    underWay += 1;
    try {
      await refresher.renew(due);
    } catch (error) {
      const restMs = askedRestMs(error instanceof AppError ? error.cause : error);
      if (restMs > 0) waitUntilMs.set(due.connectionId, ports.monotonicMs() + restMs);
      // A foreseen failure is recorded with the connection already.
      if (!(error instanceof AppError)) ports.log.warn({ err: error, client }, 'refresh failed');
    } finally {
      underWay -= 1;
      if (isMoreDue) wake();
    }
  };

  return async () => {
    const nowMs = ports.monotonicMs();
    const restMs = Math.max(restOf(waitUntilMs, nowMs), paceUntilMs - nowMs);
    if (restMs > 0) return restMs;
    const room = Math.min(AT_ONCE - underWay, STARTED_MAX);
    const due = room > 0 ? await ports.dueRefreshes.claim(client, room) : [];
    isMoreDue = due.length === room;
    for (const each of due) void begin(each);
    paceUntilMs = nowMs + due.length * APART_MS;
    if (isMoreDue) return underWay < AT_ONCE ? due.length * APART_MS : Number.POSITIVE_INFINITY;
    const nextInMs = await ports.dueRefreshes.nextInMs(client);
    return Math.max(REST_MIN_MS, nextInMs ?? Number.POSITIVE_INFINITY);
  };
}

/**
 * Returns for how long at least three connections still have to wait: a provider may limit a single account. Forgets
 * the connections whose wait is over.
 */
function restOf(waitUntilMs: Map<string, number>, nowMs: number): number {
  for (const [connectionId, untilMs] of waitUntilMs) {
    if (untilMs <= nowMs) waitUntilMs.delete(connectionId);
  }
  const [, , third] = [...waitUntilMs.values()].sort((a, b) => b - a);
  return third === undefined ? 0 : third - nowMs;
}
