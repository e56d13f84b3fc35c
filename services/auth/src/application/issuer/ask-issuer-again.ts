import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import { revokeSession } from '../revoke-session.js';
import type { PendingAuthorization } from './ports.js';
import { type Callback, issuerOf } from './sign-in-at-issuer.js';

/** A browser on its way to the issuer of its session, and what is to come back with it. */
export interface AskedAgain {
  readonly issuerId: string;
  readonly sessionId: string;
  readonly url: URL;
  readonly pending: PendingAuthorization;
}

/**
 * Has the issuer of a session say whether the same user is still signed in there, without asking the user anything.
 * So no refresh token of the issuer is kept: that would be another secret, and not every issuer gives one.
 */
export const askIssuerAgain = (ports: Ports) => ({
  /**
   * For the session of this refresh token. AppError `invalid_refresh_token`: there is none, or its user is our own;
   * `issuer_not_found`, `issuer_unavailable`.
   */
  async begin(refreshToken: string): Promise<AskedAgain> {
    const session = await ports.sessions.ofRefreshToken(refreshToken);
    const user = session && (await ports.accounts.find(session.userId));
    if (session === undefined || !user?.origin) throw noSession();
    const issuer = issuerOf(ports, user.origin);
    const begun = await issuer.begin('none');
    return { ...begun, issuerId: issuer.id, sessionId: session.sessionId };
  },

  /**
   * The session goes on, or ends when the issuer says anything but that the same user is signed in: AppError
   * `issuer_session_ended`. `issuer_unavailable` changes nothing.
   */
  async finish(callback: Callback, sessionId: string): Promise<void> {
    const userId = await whoCameBack(ports, callback, sessionId);
    // The id is made of the issuer and its subject, or is the one that the issuer names: another user has another.
    if (userId !== undefined && !(await ports.sessions.isOver(sessionId, userId))) {
      return ports.sessions.issuerConfirmed(sessionId, ports.now());
    }
    await revokeSession(ports, sessionId, 'issuer_refused');
    throw new AppError(
      'issuer_session_ended',
      'The issuer does not say that this user is still signed in there. Sign in again.',
    );
  },
});

/** Undefined: nobody, as the issuer says. */
async function whoCameBack(
  ports: Ports,
  { issuerId, url, pending }: Callback,
  sessionId: string,
): Promise<string | undefined> {
  try {
    return (await issuerOf(ports, issuerId).finish(url, pending)).userId;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    // A browser proves nothing: by its word a user whom the issuer has ended could say that the issuer is away.
    if (isAway(error) && !url.searchParams.has('error')) {
      await ports.sessions.issuerAway(sessionId, ports.now());
    }
    throw error;
  }
}

const isAway = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'issuer_unavailable';

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && ['sign_in_refused', 'sign_in_failed'].includes(error.code);

const noSession = (): AppError =>
  new AppError('invalid_refresh_token', "There is no session of a trusted issuer's user.");
