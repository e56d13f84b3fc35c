import { JunctionProblem } from './problem.js';
import type { Schemas } from './schemas.js';
import type { Send } from './send.js';

export type Tokens = Schemas['Tokens'];

/** Identity of the caller. */
export type Credential =
  /**
   * An API key; or an access token, which you renew yourself: a function is asked before each request, and again with
   * the token that was refused. The refusal stands when it returns the same one.
   */
  | { readonly token: GivenToken }
  /**
   * A user without a second factor. The client logs the user in when it first needs a token, and again when the
   * session has ended.
   */
  | { readonly email: string; readonly password: string }
  /** A session that goes on. The token works once: keep what `onTokens` is given. */
  | { readonly refreshToken: string };

type GivenToken = string | ((refused?: string) => string | Promise<string>);

/** Asks the API, without a token. @throws JunctionProblem, JunctionUnreachableError */
export interface TokenEndpoints {
  login(body: { readonly email: string; readonly password: string }): Promise<Tokens>;
  refresh(body: { readonly refresh_token: string }): Promise<Tokens>;
}

export interface TokenSource {
  /** The token of now. */
  current(): Promise<string>;
  /** The token that comes after one that was refused; undefined: there is none. */
  after(refused: string): Promise<string | undefined>;
}

/** Part of a token's life after which it is renewed, so that no request carries a token about to end. */
const USABLE_SHARE = 0.8;
const SECOND_MS = 1_000;

export interface SessionOptions {
  readonly credential: Exclude<Credential, { token: unknown }>;
  readonly endpoints: TokenEndpoints;
  readonly onTokens?: ((tokens: Tokens) => void | Promise<void>) | undefined;
}

/** Returns the given token as it is. */
export const givenToken = (token: GivenToken): TokenSource => ({
  current: async () => (typeof token === 'string' ? token : token()),
  async after(refused) {
    const next = typeof token === 'string' ? refused : await token(refused);
    return next === refused ? undefined : next;
  },
});

/** Access tokens of a session: kept until they are nearly spent; callers at the same time share one request. */
export function sessionTokens({ credential, endpoints, onTokens }: SessionOptions): TokenSource {
  let refreshToken = 'refreshToken' in credential ? credential.refreshToken : undefined;
  let kept: { readonly token: string; readonly renewAtMs: number } | undefined;
  let renewing: Promise<string> | undefined;

  const granted = async (): Promise<Tokens> => {
    if (refreshToken === undefined && 'email' in credential) return endpoints.login(credential);
    return endpoints
      .refresh({ refresh_token: refreshToken ?? '' })
      .catch(async (error: unknown) => {
        if (!hasEnded(error) || !('email' in credential)) throw error;
        return endpoints.login(credential);
      });
  };
  const renew = async (): Promise<string> => {
    const tokens = await granted();
    refreshToken = tokens.refresh_token;
    kept = {
      token: tokens.access_token,
      renewAtMs: Date.now() + tokens.expires_in * SECOND_MS * USABLE_SHARE,
    };
    // The caller keeps the new refresh token before it is used: the old one does not work any more.
    await onTokens?.(tokens);
    return kept.token;
  };
  const renewed = async (): Promise<string> => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  return {
    current: async () =>
      renewing === undefined && kept && Date.now() < kept.renewAtMs ? kept.token : renewed(),
    after: async (refused) =>
      kept === undefined || kept.token === refused ? renewed() : kept.token,
  };
}

const hasEnded = (error: unknown): boolean =>
  error instanceof JunctionProblem && error.code === 'invalid_refresh_token';

/** Sends with the token of now, and once more with another one when that was refused: it did nothing then. */
export const withToken =
  (send: Send, tokens: TokenSource): Send =>
  async (request) => {
    const token = await abortable(tokens.current(), request.signal);
    const response = await send(bearing(request, token));
    if (!(await isOfBadToken(response))) return response;
    const next = await abortable(tokens.after(token), request.signal);
    return next === undefined ? response : send(bearing(request, next));
  };

function bearing(request: Request, token: string): Request {
  const copy = request.clone();
  copy.headers.set('authorization', `Bearer ${token}`);
  return copy;
}

async function isOfBadToken(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return new JunctionProblem(response, body).code === 'invalid_token';
}

/** Lets one caller go, and the work that others wait for as well go on. */
const abortable = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
