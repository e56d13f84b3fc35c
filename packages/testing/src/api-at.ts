import { eventsIn } from './events-in.js';

/** Answer to one HTTP call. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body, or the `events` of a stream that has ended; undefined when there is none. */
  readonly body: unknown;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  /** Hangs up when it aborts. */
  readonly signal?: AbortSignal;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<ApiAnswer>;

const TIMEOUT_MS = 30_000;

/**
 * Calls the API at `url` without code of the product, and returns each answer as it came: for tests of statuses,
 * headers and refusals.
 */
export const apiAt =
  (url: string): Call =>
  async (method, path, { token, headers, json, text, signal } = {}) => {
    const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const answer = await response.text();
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    const { status, headers: answered } = response;
    return {
      status,
      headers: answered,
      body: isStream ? { events: eventsIn(answer) } : parsed(answer),
    };
  };

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
