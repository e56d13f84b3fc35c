import { AppError } from '@junction/errors';
import { callerOf } from '@junction/service-kit/http';
import type { Response } from 'express';

export interface SessionCaller {
  readonly userId: string;
  readonly sessionId: string;
}

/**
 * The caller, if she logged in. An API key lies in configuration files for years: whoever finds one
 * shall not make further keys from it, nor end the account it belongs to.
 */
export function sessionOf(res: Response): SessionCaller {
  const { userId, sessionId } = callerOf(res);
  if (sessionId !== undefined) return { userId, sessionId };
  throw new AppError(
    'forbidden',
    'session_required',
    'An API key may not do this. Log in and use the access token.',
  );
}
