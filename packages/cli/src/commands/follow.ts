import { followed, type Open } from '../api/server-sent.js';
import { line } from '../output.js';
import type { OpsContext } from '../world.js';
import { eventJson, eventLine, type StoredEvent } from './event-text.js';

interface Following {
  readonly category?: string;
  /** Cursor of the event after which it goes on; absent: now, or at the beginning. */
  readonly from?: string;
  readonly beginning?: boolean;
  /** Ends after so many events; absent: when it is called off. */
  readonly count?: number;
}

/**
 * Shows events until Ctrl-C. A service ends a stream when it restarts or has held the stream for long.
 * The command then asks again from the last event shown: none is shown twice, and none is left out.
 */
export async function followEvents(
  { ops, at, json, output, signal }: OpsContext,
  { category, from, beginning, count }: Following,
): Promise<void> {
  const query = { ...(category && { category }), ...(beginning && { from: 'beginning' as const }) };
  const open: Open = async (init) =>
    ops.request('get', '/api/ops/{service}/events/stream', {
      params: { path: at, query },
      ...init,
    });
  let shown = 0;
  const following = { signal, output, after: from, doing: 'Following', keptMs: Infinity };
  for await (const { data } of followed(open, following)) {
    const event = data as StoredEvent;
    output.out(json ? line(eventJson(event)) : `${eventLine(event)}\n`);
    shown++;
    if (shown === count) return;
  }
}
