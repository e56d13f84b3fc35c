import { errorOf, ProblemError, UnavailableError } from './problem.js';

const TIMEOUT_MS = 20_000;
const SESSION = '/api/auth/session';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface CallOptions {
  readonly body?: object;
  readonly signal?: AbortSignal;
}

let refreshing: Promise<boolean> | undefined;

/**
 * Calls the API as the signed-in user. The session lies in cookies that no script can read; an access
 * token that ran out is renewed once, by whichever call meets it first, and the call is repeated.
 * @throws ProblemError for what was refused, UnavailableError while a service or the network is down.
 */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  return (await exchange(method, path, options)).body as T;
}

/** The same, for whom it matters with which status it was answered: created, or updated. */
export async function exchange(
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  let response = await send(method, path, options);
  if (response.status === 401 && !path.startsWith(SESSION) && (await renewed())) {
    response = await send(method, path, options);
  }
  return { status: response.status, body: await read(response) };
}

/** Did the session go on? Calls that meet its end together ask once. */
function renewed(): Promise<boolean> {
  refreshing ??= send('POST', `${SESSION}/refresh`, { body: {} })
    .then(async (response) => {
      if (response.ok) return true;
      const error = await errorOf(response);
      if (error instanceof ProblemError && error.problem.status === 401) return false;
      throw error;
    })
    .finally(() => {
      refreshing = undefined;
    });
  return refreshing;
}

async function send(method: Method, path: string, { body, signal }: CallOptions) {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(path, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        accept: 'application/json',
        'x-junction-csrf': '1',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new UnavailableError('Junction cannot be reached right now.', { cause: error });
  }
}

async function read(response: Response): Promise<unknown> {
  if (!response.ok) throw await errorOf(response);
  return response.status === 204 ? undefined : response.json();
}

/** Does this error say that the session has ended? */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.status === 401;
