/** Server-sent events, as much of the browser's own `EventSource` as is used. */
export interface EventStream {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

let open = (path: string): EventStream => new EventSource(path);

/** Opens a stream as whoever calls are made as. */
export const openEventStream = (path: string): EventStream => open(path);

/** Sets how streams are opened from now on, because an `EventSource` shows cookies and nothing else. */
export const openStreamsBy = (other: typeof open): void => {
  open = other;
};
