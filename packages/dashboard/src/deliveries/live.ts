import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type LiveListener, liveSource } from '../session/live-source.js';

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

/** Queries that each type of event changes, by the first part of their keys. */
const CHANGED = {
  'delivery.attempted': ['deliveries', 'delivery', 'event', 'statistics', 'webhooks'],
  'delivery.filed': ['deliveries', 'event', 'statistics'],
  'webhook.changed': ['deliveries', 'delivery', 'statistics', 'all-webhooks', 'webhooks'],
  'operation.progressed': ['deliveries', 'replay'],
} as const;

type Told = keyof typeof CHANGED;

const changes = liveSource('/api/webhooks/stream', Object.keys(CHANGED) as readonly Told[]);

const READ_AGAIN_MS = 1_500;
/** Statistics are written a second after the attempt that they count. */
const STATISTICS_SETTLED_MS = 1_500;
const STATISTICS_AGAIN_MS = 3_000;

/** Reads again what changed, soon, and not more often than the API is quick to answer. */
function reading(queries: QueryClient): LiveListener<Told> {
  const due = new Set<string>();
  const again = paced(READ_AGAIN_MS, async () => {
    const names = [...due];
    due.clear();
    await queries.invalidateQueries({
      predicate: ({ queryKey, state: { data } }) => isOf(names, queryKey) && !isLong(data),
    });
  });
  const statisticsAgain = paced(STATISTICS_AGAIN_MS, async () => {
    await after(STATISTICS_SETTLED_MS);
    await queries.invalidateQueries({ predicate: ({ queryKey }) => isOf(SETTLING, queryKey) });
  });
  const changed = (names: readonly string[]) => {
    for (const name of names) if (!SETTLING.includes(name)) due.add(name);
    again();
    if (names.some((name) => SETTLING.includes(name))) statisticsAgain();
  };
  return {
    heard: (type) => changed(CHANGED[type]),
    missed: () => changed(Object.values(CHANGED).flat()),
  };
}

const SETTLING = ['statistics'];

const isOf = (names: readonly string[], [name]: QueryKey): boolean => names.includes(String(name));

/** Pages of a list that are read again while one looks at it. */
const PAGES_MAX = 4;

/** A list that somebody scrolled far into stands still: all of its pages would be read again for each attempt. */
const isLong = (data: unknown): boolean =>
  typeof data === 'object' &&
  data !== null &&
  'pages' in data &&
  Array.isArray(data.pages) &&
  data.pages.length > PAGES_MAX;

/** Runs at once, and then again if it is wanted meanwhile, with a rest between the end of one and the next. */
function paced(restMs: number, run: () => Promise<void>): () => void {
  let isBusy = false;
  let isWanted = false;
  const go = async () => {
    isBusy = true;
    isWanted = false;
    await run();
    await after(restMs);
    isBusy = false;
    if (isWanted) void go();
  };
  return () => {
    isWanted = true;
    if (!isBusy) void go();
  };
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

let pages = 0;
let unfollow = () => {};

/** Keeps the queries of the page up to date while the page is mounted and visible. */
export function useLiveQueries(): void {
  const queries = useQueryClient();
  useEffect(() => {
    pages += 1;
    if (pages === 1) unfollow = changes.follow(reading(queries), queries);
    return () => {
      pages -= 1;
      if (pages === 0) unfollow();
    };
  }, [queries]);
}

const TAIL_MAX = 50;

export interface Tail {
  /** Newest first. */
  readonly attempts: readonly LiveAttempt[];
  /** Number of attempts since the tail was paused. */
  readonly missed: number;
}

const NOTHING: Tail = { attempts: [], missed: 0 };

/**
 * The attempts since the page was opened, of one webhook or of all. Paused it stands still and counts; going on it
 * shows what came.
 */
export function useTail(isPaused: boolean, webhookId?: string): Tail {
  const queries = useQueryClient();
  const all = useRef<readonly LiveAttempt[]>([]);
  const [tail, setTail] = useState(NOTHING);
  useEffect(() => {
    if (!isPaused) setTail({ attempts: all.current, missed: 0 });
    const heard = (type: Told, data: string) => {
      if (type !== 'delivery.attempted') return;
      const attempt = JSON.parse(data) as LiveAttempt;
      if (webhookId !== undefined && attempt.webhook_id !== webhookId) return;
      all.current = [attempt, ...all.current].slice(0, TAIL_MAX);
      setTail(({ attempts, missed }) =>
        isPaused ? { attempts, missed: missed + 1 } : { attempts: all.current, missed: 0 },
      );
    };
    return changes.follow({ heard }, queries);
  }, [isPaused, webhookId, queries]);
  return tail;
}
