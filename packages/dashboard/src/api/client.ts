import type { Answer, Init, Method, PathsWith, Rest } from '@junction/client';
import { errorOf, ProblemError, UnavailableError } from './problem.js';
import { stepUps } from './prompts.js';
import { type Params, requestTarget } from './request-target.js';
import { beginWait } from './waits.js';

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

/** A request without the types of its path. */
interface Asked {
  readonly params?: Params & { readonly header?: Readonly<Record<string, string>> };
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** An answer with what `call` leaves out. */
export interface Exchanged<Body> {
  readonly status: number;
  readonly body: Body;
  readonly etag: string | undefined;
}

/** Credentials that a call shows, and the way to renew them. */
export interface Access {
  readonly credentials: RequestCredentials;
  readonly headers: () => Readonly<Record<string, string>>;
  /** Renews credentials that have run out, for a call of this method. Returns false when the session has ended. */
  readonly renew: (method: Method) => Promise<boolean>;
}

/**
 * Gives a session that has ended to its user again. Returns whether that was done; false: the call fails with 401.
 * `method` is that of the call that met the end.
 */
export type Resume = (method: Method) => Promise<boolean>;

/** The session lies in cookies that no script can read. */
const browserSession: Access = {
  credentials: 'same-origin',
  headers: () => ({ 'x-junction-csrf': '1' }),
  async renew(method) {
    const response = await send('post', `${SESSION}/refresh`);
    isIssuerNeeded = (await codeOf(response, 401)) === ISSUER_NEEDED;
    if (response.ok) return true;
    const error = await errorOf(response);
    if (error instanceof ProblemError && error.problem.status === 401) return resume(method);
    throw error;
  },
};

let isIssuerNeeded = false;
let resume: Resume = async () => false;

/** Sets what a browser session that has ended does before its call fails. */
export const resumeBy = (other: Resume): void => {
  resume = other;
};

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
 * at the same time renew the token together), after the user has signed in again, when the API says that the address
 * is not verified (a new token may say otherwise), and after the user has confirmed with the second factor or the
 * password, where the API demands that.
 * @throws ProblemError when the request is refused, UnavailableError while a service or the network is down,
 * PromptCancelledError when the user closes the dialog that would have helped.
 */
export async function call<M extends Method, Path extends PathsWith<M>>(
  method: M,
  path: Path,
  ...init: Rest<Init<Path, M>>
): Promise<Answer<Path, M>> {
  return (await exchange(method, path, ...init)).body;
}

/** Calls the API as `call` does, for callers that must tell created from updated, or need the version. */
export async function exchange<M extends Method, Path extends PathsWith<M>>(
  method: M,
  path: Path,
  ...[init]: Rest<Init<Path, M>>
): Promise<Exchanged<Answer<Path, M>>> {
  const ask = async () => send(method, path, init);
  let response = await renewing401(method, path, ask);
  if ((await codeOf(response, 403)) === UNVERIFIED && (await renewed(method))) {
    response = await ask();
  }
  if ((await codeOf(response, 401)) === STEP_UP) {
    await stepUps.demand();
    response = await ask();
  }
  const etag = response.headers.get('etag') ?? undefined;
  return { status: response.status, body: (await read(response)) as Answer<Path, M>, etag };
}

/**
 * Reads a file to its end, asked for as `call` does.
 * @throws as `call`, also when the answer breaks off: half a list must not look like a whole one.
 */
export async function fileAt(path: string): Promise<Blob> {
  try {
    const response = await authorized(path);
    if (response.ok) return await response.blob();
    throw await errorOf(response);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnavailableError(unansweredWords('get', false), { cause: error });
  }
}

/** A stream or the like, asked for as `call` does; the answer is the caller's to read. */
export const authorized = async (
  path: string,
  init: { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> =>
  renewing401('get', path, async () =>
    fetch(path, {
      ...init,
      ...TO_US_ALONE,
      credentials: access.credentials,
      headers: { ...init.headers, ...access.headers() },
    }),
  );

/** Sends a request, and sends it again with renewed access when the access had run out. */
async function renewing401(
  method: Method,
  path: string,
  ask: () => Promise<Response>,
): Promise<Response> {
  const response = await ask();
  const isOpening = OPENING.some((opening) => path.startsWith(opening));
  return !isOpening && (await hasEnded(response)) && (await renewed(method)) ? ask() : response;
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
function renewed(method: Method): Promise<boolean> {
  renewing ??= access.renew(method).finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function send(method: Method, path: string, asked: Asked = {}) {
  const { params = {}, body, headers, signal } = asked;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const endWait = beginWait();
  try {
    return await fetch(requestTarget(path, params), {
      method: method.toUpperCase(),
      ...TO_US_ALONE,
      credentials: access.credentials,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        accept: 'application/json',
        ...access.headers(),
        ...params.header,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new UnavailableError(unansweredWords(method, timeout.aborted), { cause: error });
  } finally {
    endWait();
  }
}

/** Words for a request without an answer: a change may have been made although its answer did not arrive. */
function unansweredWords(method: Method, isLate: boolean): string {
  if (!navigator.onLine) {
    return 'You are offline, so nothing was sent. What you typed stays here: try again when you are back online.';
  }
  const what = isLate
    ? `Junction did not answer within ${TIMEOUT_MS / 1_000} seconds.`
    : 'Junction can’t be reached right now.';
  return method === 'get'
    ? what
    : `${what} What you typed stays here. It may have arrived all the same: look before you send it again.`;
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
