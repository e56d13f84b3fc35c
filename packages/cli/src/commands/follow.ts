import { setTimeout as sleep } from 'node:timers/promises';
import { type FollowEventsRequest, OpsServiceService, type StreamEvent } from '@junction/contracts';
import { isPassing } from '../call-failure.js';
import { line } from '../output.js';
import type { Asking } from '../world.js';
import { eventJson, eventLine } from './event-text.js';

const AGAIN_MIN_MS = 250;
const AGAIN_MAX_MS = 5_000;
/** Time after which the command gives up, longer than any restart. */
const GIVE_UP_AFTER_MS = 60_000;

export interface Following {
  readonly category: string;
  /** Position to start from; absent: now, or at the beginning. */
  readonly cursor: string | undefined;
  readonly beginning: boolean;
  /** Ends after so many events; absent: when it is called off. */
  readonly count: number | undefined;
}

/**
 * Shows events until Ctrl-C. A service ends a stream when it restarts or has held the stream for long.
 * The command then asks again from the last event shown: none is shown twice, and none is left out.
 */
export async function followEvents(asking: Asking, following: Following): Promise<void> {
  const { signal, output } = asking;
  const place = { ...following, shown: 0 };
  let lostAtMs: number | undefined;

  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const { event, cursor } of followOnce(asking, place)) {
        if (place.cursor === undefined && !place.beginning)
          output.note('Following. Ctrl-C ends it.');
        if (lostAtMs !== undefined) output.note('Following again.');
        lostAtMs = undefined;
        failures = 0;
        place.cursor = cursor;
        if (event) show(asking, event);
        if (event) place.shown += 1;
        if (following.count !== undefined && place.shown >= following.count) return;
      }
    } catch (error) {
      // Without a first answer nothing is lost yet: say at once what is wrong.
      if (!isPassing(error) || place.cursor === following.cursor) throw error;
      lostAtMs ??= Date.now();
      if (Date.now() - lostAtMs > GIVE_UP_AFTER_MS) throw error;
      if (failures === 0) output.note('The connection was lost. Going on when it is back …');
    }
    failures += 1;
    const againMs = Math.min(AGAIN_MIN_MS * 2 ** Math.min(failures, 10), AGAIN_MAX_MS);
    await sleep(againMs, undefined, { signal }).catch(() => undefined);
  }
}

const followOnce = ({ ops, signal }: Asking, { category, cursor, beginning }: Following) =>
  ops.stream(OpsServiceService.followEvents, { category, from: fromOf(cursor, beginning) }, signal);

function fromOf(cursor: string | undefined, beginning: boolean): FollowEventsRequest['from'] {
  if (cursor !== undefined) return { $case: 'cursor', value: cursor };
  return beginning ? { $case: 'beginning', value: true } : undefined;
}

const show = ({ json, output }: Asking, event: StreamEvent): void =>
  output.out(json ? line(eventJson(event)) : `${eventLine(event)}\n`);
