import type { QueryClient } from '@tanstack/react-query';
import { type EventStream, openEventStream } from '../api/event-stream.js';
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

/** What is told, and the first part of the keys of the queries that it changes. */
export const CHANGED = {
  'delivery.attempted': ['deliveries', 'delivery', 'event', 'statistics', 'webhooks'],
  'delivery.filed': ['deliveries', 'event', 'statistics'],
  'webhook.changed': ['deliveries', 'delivery', 'statistics', 'all-webhooks', 'webhooks'],
  'operation.progressed': ['deliveries', 'replay'],
} as const;

export type Told = keyof typeof CHANGED;

const TOLD = Object.keys(CHANGED) as readonly Told[];

export interface Listener {
  readonly told: (type: Told, data: unknown) => void;
  /** The stream is open or cannot be opened: something may have been missed. */
  readonly missed?: () => void;
}

const REOPEN_MS = 5_000;

const listeners = new Set<Listener>();
let source: EventStream | undefined;
let reopening: ReturnType<typeof setTimeout> | undefined;
let session: QueryClient | undefined;

/**
 * One stream for all that listens on the page. Only while it is looked at: over HTTP/1.1 a browser has six connections
 * for all its tabs, and streams in hidden ones would use them up.
 */
export function follow(listener: Listener, queries: QueryClient): () => void {
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
  source = openEventStream('/api/webhooks/stream');
  source.addEventListener('open', tellMissed);
  for (const type of TOLD) {
    source.addEventListener(type, ({ data }: MessageEvent<string>) => {
      for (const { told } of listeners) told(type, JSON.parse(data));
    });
  }
  // The browser itself opens one again that broke off, but not one that was refused.
  source.addEventListener('error', () => {
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    reopening = setTimeout(() => void reopen(), REOPEN_MS);
  });
}

function tellMissed(): void {
  for (const { missed } of listeners) missed?.();
}

function close(): void {
  source?.close();
  source = undefined;
  clearTimeout(reopening);
  reopening = undefined;
}

/** The access token may have run out, and a stream cannot renew it as a call does. */
async function reopen(): Promise<void> {
  tellMissed();
  await session?.refetchQueries({ queryKey: sessionQuery.queryKey }).catch(() => undefined);
  reopening = undefined;
  openOrClose();
}
