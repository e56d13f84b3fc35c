import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from './backoff.js';
import { latch } from './latch.js';
import type { Queryable } from './queryable.js';
import { isAfter, type Page, type Position, readPage, type Selection } from './read-all.js';
import { lastReadable } from './readable-end.js';
import type { StoredEvent } from './stored-event.js';
import type { WakeCalls } from './wake-calls.js';

/** What followers are woken by. Call it after each commit that appended. */
export const EVENTS_APPENDED = 'events';

const BATCH = 500;

/** Only for calls that were lost: a follower that is called needs no looking. */
const LOOK_EVERY_MS = 5_000;

/** How soon to look again while an open transaction holds events back: nobody calls at its end. */
const HELD_BACK_MIN_MS = 5;
const HELD_BACK_MAX_MS = 250;

export interface FollowOptions extends Selection {
  readonly db: Queryable;
  readonly calls: WakeCalls;
  /** The place of the last event that was handled. */
  readonly from: Position;
  readonly signal: AbortSignal;
  /** Events at most in one call of the handler. Default 500. */
  readonly batchMax?: number | undefined;
  /** How often to look without having been called. Default 5 s. */
  readonly lookEveryMs?: number | undefined;
  /** For a reader of one category, who meets none of the others' events. */
  readonly passing?: Passing | undefined;
  /** The events could not be read. It is tried again, after 0.1 s doubling to 2 s. */
  readonly onError: (error: unknown) => void;
}

/** Where a reader of one category stands among all events. */
export interface Passing {
  /** How often it is told at most. */
  readonly everyMs: number;
  /** All events up to this one are read, and it is not of the category: begin behind it again. */
  readonly pass: (to: Position) => Promise<void>;
}

/**
 * Hands over all events after `from`, or those of one category, in reading order, as they become
 * readable and for as long as it is not called off: then it resolves, once the handler is done. One
 * batch at a time, the next after the handler resolved. When the handler rejects, so does this: begin
 * again from the last event that was handled.
 *
 * Rests while there is nothing, until a commit in this process or another calls.
 */
export async function follow(
  options: FollowOptions,
  handle: (events: readonly StoredEvent[]) => Promise<void>,
): Promise<void> {
  const { calls, signal, passing, batchMax = BATCH, lookEveryMs = LOOK_EVERY_MS } = options;
  const called = latch();
  const hearNoMore = calls.listen(EVENTS_APPENDED, called.ring);
  let { from } = options;
  let heldBackMs = HELD_BACK_MIN_MS;
  let passedMs = Number.NEGATIVE_INFINITY;
  try {
    while (!signal.aborted) {
      const isPassDue = passing !== undefined && performance.now() >= passedMs + passing.everyMs;
      const page = await readPatiently({ ...options, from, batchMax }, isPassDue);
      if (page === undefined) break;
      if (isPassDue) passedMs = performance.now();
      const { events, isHeldBack, end } = page;
      if (events.length > 0) await handle(events);
      from = events.at(-1) ?? from;
      if (events.length === batchMax) continue;

      if (end && isAfter(end, from)) {
        await passing?.pass(end);
        from = end;
      }
      heldBackMs =
        events.length > 0 ? HELD_BACK_MIN_MS : Math.min(heldBackMs * 2, HELD_BACK_MAX_MS);
      await called.wait(isHeldBack ? Math.min(heldBackMs, lookEveryMs) : lookEveryMs, signal);
    }
  } finally {
    hearNoMore();
  }
}

/** Tries until the events could be read, and on demand the end of all; undefined when it was called off. */
async function readPatiently(
  { db, from, category, batchMax = BATCH, signal, onError }: FollowOptions,
  withEnd: boolean,
): Promise<(Page & { readonly end: Position | undefined }) | undefined> {
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      // The end first: what comes in between is on the page, and nothing before the end is missing from it.
      const end = withEnd ? await lastReadable(db) : undefined;
      return { ...(await readPage(db, from, batchMax, { category })), end };
    } catch (error) {
      onError(error);
      await sleep(backoffMs(failures), undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
