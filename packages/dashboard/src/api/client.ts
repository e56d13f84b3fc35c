import { errorOf, ProblemError, UnavailableError } from './problem.js';
import { demandStepUp } from './step-up.js';

const TIMEOUT_MS = 20_000;
const SESSION = '/api/auth/session';
const PORTAL = '/api/portal-links';
/** Paths at which access is opened or renewed. A 401 of theirs says nothing about the current access. */
const OPENING = [SESSION, PORTAL];
const TO_US_ALONE = { cache: 'no-store', redirect: 'error' } as const;
/** The session goes on, but wants its user to show the second factor or the password again (RFC 9470). */
const STEP_UP = 'insufficient_user_authentication';
/** The access says that the address is not verified, which may have changed since it was given. */
const UNVERIFIED = 'email_unverified';
/** 401 answers that say nothing about the session. */
const ABOUT_FACTORS = [STEP_UP, 'invalid_second_factor'];
/** The session goes on once the trusted issuer whose user this is has been asked again. */
const ISSUER_NEEDED = 'issuer_sign_in_needed';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface CallOptions {
  readonly body?: object;
  /** Media type of the body; absent: application/json. */
  readonly contentType?: 'application/merge-patch+json';
  readonly signal?: AbortSignal;
}

/** Credentials that a call shows, and the way to renew them. */
export interface Access {
  readonly credentials: RequestCredentials;
  readonly headers: () => Readonly<Record<string, string>>;
  /** Renews credentials that have run out. Returns false when the session has ended. */
  readonly renew: () => Promise<boolean>;
}

/** The session lies in cookies that no script can read. */
const browserSession: Access = {
  credentials: 'same-origin',
  headers: () => ({ 'x-junction-csrf': '1' }),
  async renew() {
    const response = await send('POST', `${SESSION}/refresh`, { body: {} });
    isIssuerNeeded = (await codeOf(response, 401)) === ISSUER_NEEDED;
    if (response.ok) return true;
    const error = await errorOf(response);
    if (error instanceof ProblemError && error.problem.status === 401) return false;
    throw error;
  },
};

let isIssuerNeeded = false;

/** Returns whether the session could not be renewed because its issuer must be asked first. */
export const sessionWaitsForIssuer = (): boolean => isIssuerNeeded;

let access = browserSession;
let renewing: Promise<boolean> | undefined;

/** Sets the access of all further calls. Until then calls show the cookies of a browser session. */
export const setAccess = (other: Access): void => {
  access = other;
};

/**
 * Calls the API as the signed-in user, and repeats the call when that can help: after the access token ran out (calls
 * at the same time renew the token together), when the API says that the address is not verified (a new token may say
 * otherwise), and after the user has confirmed with the second factor or the password, where the API demands that.
 * @throws ProblemError when the request is refused, UnavailableError while a service or the network is down.
 */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  return (await exchange(method, path, options)).body as T;
}

/** Calls the API as `call` does, and returns the status too: some callers must tell created from updated. */
export async function exchange(
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  let response = await renewing401(path, async () => send(method, path, options));
  if ((await codeOf(response, 403)) === UNVERIFIED && (await renewed())) {
    response = await send(method, path, options);
  }
  if ((await codeOf(response, 401)) === STEP_UP) {
    await demandStepUp();
    response = await send(method, path, options);
  }
  return { status: response.status, body: await read(response) };
}

/** A stream or the like, asked for as `call` does; the answer is the caller's to read. */
export const authorized = async (
  path: string,
  init: { readonly signal: AbortSignal; readonly headers: Readonly<Record<string, string>> },
): Promise<Response> =>
  renewing401(path, async () =>
    fetch(path, {
      ...init,
      ...TO_US_ALONE,
      credentials: access.credentials,
      headers: { ...init.headers, ...access.headers() },
    }),
  );

/** Sends a request, and sends it again with renewed access when the access had run out. */
async function renewing401(path: string, ask: () => Promise<Response>): Promise<Response> {
  const response = await ask();
  const isOpening = OPENING.some((opening) => path.startsWith(opening));
  return !isOpening && (await hasEnded(response)) && (await renewed()) ? ask() : response;
}

const hasEnded = async (response: Response): Promise<boolean> =>
  response.status === 401 && !ABOUT_FACTORS.includes((await codeOf(response, 401)) ?? '');

/** Returns the problem code of an answer with this status, and leaves its body unread. */
async function codeOf(response: Response, status: 401 | 403): Promise<string | undefined> {
  if (response.status !== status) return undefined;
  const error = await errorOf(response.clone());
  return error instanceof ProblemError ? error.problem.code : undefined;
}

/** Calls that meet the end of the access together ask once. */
function renewed(): Promise<boolean> {
  renewing ??= access.renew().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function send(method: Method, path: string, options: CallOptions) {
  const { body, contentType = 'application/json', signal } = options;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetch(path, {
      method,
      ...TO_US_ALONE,
      credentials: access.credentials,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        accept: 'application/json',
        ...access.headers(),
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
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** Returns whether an error says that the session has ended. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ProblemError &&
  error.problem.status === 401 &&
  !ABOUT_FACTORS.includes(error.problem.code);
