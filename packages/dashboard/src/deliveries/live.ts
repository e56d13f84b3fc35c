import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { sessionQuery } from '../session/session.js';

/** `delivery.attempted`, as the stream tells it. */
export interface LiveAttempt {
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly event_type: string;
  readonly attempt: number;
  readonly at: string;
  readonly result: string;
  readonly response_status: number | null;
  readonly total_ms: number;
}

export interface Listener {
  readonly attempted: (attempt: LiveAttempt) => void;
  readonly progressed?: () => void;
  /** The stream is open, for the first time or again: something may have been missed. */
  readonly opened?: () => void;
}

const REOPEN_MS = 5_000;
/** What attempts and replays change. */
const CHANGED = ['deliveries', 'delivery', 'event', 'replay', 'statistics', 'webhooks'];
/** Statistics are written a second after the attempt. */
const SETTLED_MS = 1_500;

const listeners = new Set<Listener>();
let source: EventSource | undefined;
let reopening: ReturnType<typeof setTimeout> | undefined;
let session: QueryClient | undefined;

/**
 * One stream for all that listens on the page. Only while it is looked at: over HTTP/1.1 a browser has six connections
 * for all its tabs, and streams in hidden ones would use them up.
 */
function follow(listener: Listener, queries: QueryClient): () => void {
  session = queries;
  listeners.add(listener);
  if (listeners.size === 1) document.addEventListener('visibilitychange', openOrClose);
  openOrClose();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) document.removeEventListener('visibilitychange', openOrClose);
    openOrClose();
  };
}

function openOrClose(): void {
  const isWanted = listeners.size > 0 && !document.hidden;
  if (!isWanted) close();
  else if (source === undefined && reopening === undefined) open();
}

function open(): void {
  source = new EventSource('/api/webhooks/stream');
  source.addEventListener('open', () => {
    for (const { opened } of listeners) opened?.();
  });
  source.addEventListener('delivery.attempted', ({ data }: MessageEvent<string>) => {
    const attempt = JSON.parse(data) as LiveAttempt;
    for (const { attempted } of listeners) attempted(attempt);
  });
  source.addEventListener('operation.progressed', () => {
    for (const { progressed } of listeners) progressed?.();
  });
  // The browser itself opens one again that broke off, but not one that was refused.
  source.addEventListener('error', () => {
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    reopening = setTimeout(() => void reopen(), REOPEN_MS);
  });
}

function close(): void {
  source?.close();
  source = undefined;
  clearTimeout(reopening);
  reopening = undefined;
}

/** The access token may have run out, and a stream cannot renew it as a call does. */
async function reopen(): Promise<void> {
  await session?.refetchQueries({ queryKey: sessionQuery.queryKey }).catch(() => undefined);
  reopening = undefined;
  openOrClose();
}

/** Reads again what attempts change, at most twice in a moment however many there are. */
export function useLiveQueries(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let settling: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      void queries.invalidateQueries({
        predicate: ({ queryKey: [name] }) => CHANGED.includes(String(name)),
      });
    };
    const changed = () => {
      if (settling !== undefined) return;
      refresh();
      settling = setTimeout(() => {
        settling = undefined;
        refresh();
      }, SETTLED_MS);
    };
    const stop = follow({ attempted: changed, progressed: changed, opened: changed }, queries);
    return () => {
      clearTimeout(settling);
      stop();
    };
  }, [queries]);
}

const TAIL_MAX = 50;

export interface Tail {
  /** Newest first. */
  readonly attempts: readonly LiveAttempt[];
  /** How many came since it was paused. */
  readonly missed: number;
}

const NOTHING: Tail = { attempts: [], missed: 0 };

/** The attempts since the page was opened. Paused it stands still and counts; going on it shows what came. */
export function useTail(isPaused: boolean): Tail {
  const queries = useQueryClient();
  const all = useRef<readonly LiveAttempt[]>([]);
  const [tail, setTail] = useState(NOTHING);
  useEffect(() => {
    if (!isPaused) setTail({ attempts: all.current, missed: 0 });
    const attempted = (attempt: LiveAttempt) => {
      all.current = [attempt, ...all.current].slice(0, TAIL_MAX);
      setTail(({ attempts, missed }) =>
        isPaused ? { attempts, missed: missed + 1 } : { attempts: all.current, missed: 0 },
      );
    };
    return follow({ attempted }, queries);
  }, [isPaused, queries]);
  return tail;
}
