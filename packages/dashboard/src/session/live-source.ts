import type { PathsWith } from '@junction/client';
import type { QueryClient } from '@tanstack/react-query';
import { type EventStream, openEventStream } from '../api/event-stream.js';
import { sessionQuery } from './session.js';

export interface LiveListener<Type extends string> {
  /** An event, its data as JSON. */
  readonly heard: (type: Type, data: string) => void;
  /** The stream was opened, or broke off: what happened meanwhile has to be read. */
  readonly missed?: () => void;
}

export interface LiveSource<Type extends string> {
  /** Opens the stream for the first that follows. Gives what ends it. */
  follow(listener: LiveListener<Type>, queries: QueryClient): () => void;
}

const REOPEN_MS = 5_000;

/**
 * Shares a stream of server-sent events among all listeners of the page. The stream is open only while the page is
 * visible: over HTTP/1.1 a browser has six connections for all its tabs, and hidden tabs would use them up.
 */
export function liveSource<Type extends string>(
  path: PathsWith<'get'>,
  types: readonly Type[],
): LiveSource<Type> {
  const listeners = new Set<LiveListener<Type>>();
  let source: EventStream | undefined;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let session: QueryClient | undefined;

  const tellMissed = () => {
    for (const { missed } of listeners) missed?.();
  };
  const close = () => {
    source?.close();
    source = undefined;
    clearTimeout(reopening);
    reopening = undefined;
  };
  const open = () => {
    source = openEventStream(path);
    source.addEventListener('open', tellMissed);
    for (const type of types) {
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        for (const { heard } of listeners) heard(type, data);
      });
    }
    source.addEventListener('error', () => {
      tellMissed();
      // The browser itself opens one again that broke off, but not one that was refused.
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      reopening = setTimeout(() => void reopen(), REOPEN_MS);
    });
  };
  const openOrClose = () => {
    const isWanted = listeners.size > 0 && !document.hidden;
    if (!isWanted) close();
    else if (source === undefined && reopening === undefined) open();
  };
  /** The access token may have run out, and a stream cannot renew it as a call does. */
  const reopen = async () => {
    await session?.refetchQueries({ queryKey: sessionQuery.queryKey }).catch(() => undefined);
    reopening = undefined;
    openOrClose();
  };

  return {
    follow(listener, queries) {
      session = queries;
      listeners.add(listener);
      if (listeners.size === 1) document.addEventListener('visibilitychange', openOrClose);
      openOrClose();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) document.removeEventListener('visibilitychange', openOrClose);
        openOrClose();
      };
    },
  };
}
