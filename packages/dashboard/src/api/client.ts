import { errorOf, ProblemError, UnavailableError } from './problem.js';
import { demandStepUp } from './step-up.js';

const TIMEOUT_MS = 20_000;
const SESSION = '/api/auth/session';
/** The session goes on, but wants its second factor shown again (RFC 9470). */
const STEP_UP = 'insufficient_user_authentication';
/** 401 answers that say nothing about the session. */
const ABOUT_FACTORS = [STEP_UP, 'invalid_second_factor'];

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface CallOptions {
  readonly body?: object;
  /** Absent: application/json. */
  readonly contentType?: 'application/merge-patch+json';
  readonly signal?: AbortSignal;
}

let refreshing: Promise<boolean> | undefined;

/**
 * Calls the API as the signed-in user. The session lies in cookies that no script can read; an access
 * token that ran out is renewed once, by whichever call meets it first, and the call is repeated. So it is after
 * the user has shown the second factor, where that is demanded.
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
  if (!path.startsWith(SESSION) && (await hasEnded(response)) && (await renewed())) {
    response = await send(method, path, options);
  }
  if ((await codeOf401(response)) === STEP_UP) {
    await demandStepUp();
    response = await send(method, path, options);
  }
  return { status: response.status, body: await read(response) };
}

const hasEnded = async (response: Response): Promise<boolean> =>
  response.status === 401 && !ABOUT_FACTORS.includes((await codeOf401(response)) ?? '');

/** Leaves the body to be read. */
async function codeOf401(response: Response): Promise<string | undefined> {
  if (response.status !== 401) return undefined;
  const error = await errorOf(response.clone());
  return error instanceof ProblemError ? error.problem.code : undefined;
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

async function send(method: Method, path: string, options: CallOptions) {
  const { body, contentType = 'application/json', signal } = options;
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
        ...(body && { 'content-type': contentType }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new UnavailableError('Junction can’t be reached right now.', { cause: error });
  }
}

async function read(response: Response): Promise<unknown> {
  if (!response.ok) throw await errorOf(response);
  return response.status === 204 ? undefined : response.json();
}

/** Does this error say that the session has ended? */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ProblemError &&
  error.problem.status === 401 &&
  !ABOUT_FACTORS.includes(error.problem.code);
