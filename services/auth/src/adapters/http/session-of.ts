import { AppError } from '@junction/errors';
import { callerOf } from '@junction/service/http';
import type { Response } from 'express';
import type { SessionCaller } from '../../application/session/ports.js';

/** The caller, if she signed in here. AppError `session_required`. */
export function sessionOf(res: Response): SessionCaller {
  const { sessionId } = callerOf(res);
  const userId = userOf(res);
  if (sessionId !== undefined) return { userId, sessionId };
  throw new AppError(
    'session_required',
    'The token is of another issuer, and has no session here.',
  );
}

/**
 * The user who asks, here or at a trusted issuer signed in. An API key lies in configuration files for years:
 * whoever finds one shall not make further keys from it, nor end the account it belongs to.
 * AppError `session_required`.
 */
export function userOf(res: Response): string {
  const { userId, via } = callerOf(res);
  if (via === 'jwt') return userId;
  throw new AppError(
    'session_required',
    'An API key may not do this. Log in and use the access token.',
  );
}
