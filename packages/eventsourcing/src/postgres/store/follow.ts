import { retry, signal as wakeSignal } from '@junction/async';
import type { Notifier } from '../notifier.js';
import type { Queryable } from '../queryable.js';
import { type Position, readPage, type Selection } from './read-all.js';
import type { StoredEvent } from './stored-event.js';

/** Topic that wakes followers. Notify it after each commit that appended. */
export const EVENTS_APPENDED = 'events';

const BATCH = 500;

/** Interval of polling, for notifications that were lost. */
const LOOK_EVERY_MS = 5_000;

/** Delays before polling again while an open transaction holds events back: its end is not notified. */
const HELD_BACK_MIN_MS = 5;
const HELD_BACK_MAX_MS = 250;

export interface FollowOptions extends Selection {
  readonly db: Queryable;
  readonly notifier: Notifier;
  /** Position of the last event that was handled. */
  readonly from: Position;
  readonly signal: AbortSignal;
  /** Maximum events in one call of the handler. Default 500. */
  readonly batchMax?: number | undefined;
  /** Interval of polling without a notification. Default 5 s. */
  readonly lookEveryMs?: number | undefined;
  /** Called when the events could not be read. Reading is tried again after 0.1 s, doubling to 2 s. */
  readonly onError: (error: unknown) => void;
}

/**
 * Hands over all events after `from`, or those of one category, in reading order, as they become readable. Resolves
 * when the signal aborts, once the handler is done. Hands over one batch at a time, the next after the handler
 * resolved. Rejects when the handler rejects: start again from the last event that was handled.
 *
 * Without events it rests until a commit in this process or another is notified.
 */
export async function follow(
  options: FollowOptions,
  handle: (events: readonly StoredEvent[]) => Promise<void>,
): Promise<void> {
  const { db, category, notifier, signal, onError } = options;
  const { batchMax = BATCH, lookEveryMs = LOOK_EVERY_MS } = options;
  const called = wakeSignal();
  const hearNoMore = notifier.listen(EVENTS_APPENDED, called.set);
  let { from } = options;
  let heldBackMs = HELD_BACK_MIN_MS;
  try {
    while (!signal.aborted) {
      const page = await retry(() => readPage(db, from, batchMax, { category }), {
        signal,
        onFailure: onError,
      }).catch(() => undefined);
      if (page === undefined) break; // Reading ends in an error only when it is called off.
      const { events, isHeldBack } = page;
      if (events.length > 0) await handle(events);
      from = events.at(-1) ?? from;
      if (events.length === batchMax) continue;

      heldBackMs =
        events.length > 0 ? HELD_BACK_MIN_MS : Math.min(heldBackMs * 2, HELD_BACK_MAX_MS);
      await called.wait(isHeldBack ? Math.min(heldBackMs, lookEveryMs) : lookEveryMs, signal);
    }
  } finally {
    hearNoMore();
  }
}
