import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.js';
import { refusalOf } from './refusal.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface CallOptions {
  /** Parameters of the query. An undefined value is left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/**
 * HTTP API of the product, called as one user. Each failure is thrown as a Failure, and each refusal as a Refusal.
 */
export interface Api {
  readonly url: string;
  call<T>(method: Method, path: string, options?: CallOptions): Promise<T>;
  /** Opens server-sent events: those after `lastEventId`, when it is given. */
  stream(path: string, lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
}

/** Credentials for requests. */
export interface Access {
  /** Returns an access token or an API key; undefined for requests without credentials. */
  token(): Promise<string | undefined>;
  /** Returns a token in place of a refused one; undefined when there is none. */
  renewed(refused: string): Promise<string | undefined>;
}

export const NOBODY: Access = { token: async () => undefined, renewed: async () => undefined };
export const bearing = (key: string): Access => ({ ...NOBODY, token: async () => key });

const TIMEOUT_MS = 30_000;
/** 429 and 503 say when to come back, and that nothing was done: worth waiting for, for a while. */
const REPEATS_MAX = 2;
const WAIT_MAX_S = 10;

export function apiAt(url: string, access: Access): Api {
  const ask = async (send: (token: string | undefined) => Promise<Response>) => {
    const token = await access.token();
    const response = await send(token).catch((cause: unknown) => unreached(url, cause));
    if (response.status !== 401 || token === undefined) return response;
    const renewed = await access.renewed(token);
    if (renewed === undefined) return response;
    await response.body?.cancel();
    return send(renewed).catch((cause: unknown) => unreached(url, cause));
  };

  return {
    url,
    async call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
      for (let repeats = 0; ; repeats++) {
        const response = await ask(async (token) =>
          fetch(...requestOf(new URL(path, url), method, options, token)),
        );
        if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
        const waitS = waitOf(response);
        if (waitS > WAIT_MAX_S || repeats === REPEATS_MAX) throw await refusalOf(response);
        await response.body?.cancel();
        await sleep(waitS * 1_000);
      }
    },

    async stream(path, lastEventId, signal) {
      const response = await ask(async (token) =>
        fetch(new URL(path, url), {
          redirect: 'error',
          signal,
          headers: {
            accept: 'text/event-stream',
            ...bearer(token),
            ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
          },
        }),
      );
      if (response.ok) return response;
      throw await refusalOf(response);
    },
  };
}

function requestOf(
  target: URL,
  method: Method,
  { query = {}, body }: CallOptions,
  token: string | undefined,
): [URL, RequestInit] {
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  const request: RequestInit = {
    method,
    // A token is for this address and no other.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      accept: 'application/json',
      'user-agent': 'junction-cli',
      ...bearer(token),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
  return [target, request];
}

const bearer = (token: string | undefined) =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** Seconds until the same request may be answered; Infinity: never. */
function waitOf({ status, headers }: Response): number {
  const told = headers.get('retry-after');
  return (status === 429 || status === 503) && told !== null ? Number(told) : Infinity;
}

function unreached(url: string, cause: unknown): never {
  const late = cause instanceof Error && cause.name === 'TimeoutError';
  throw new Failure(
    late
      ? `${url} did not answer in time. Try again.`
      : `${url} cannot be reached. Is it running, and is this its address? --url or JUNCTION_URL names another.`,
    undefined,
    { cause },
  );
}
