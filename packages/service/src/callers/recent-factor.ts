import { AppError } from '@junction/errors';
import type { NextFunction, Response } from 'express';
import { callerOf } from '../http/caller.js';

/** Seconds for which a proof of the second factor is recent. */
const RECENT_S = 15 * 60;
/** Seconds for which a sign-in without a second factor is recent. */
const SIGN_IN_S = 10 * 60;
const SECOND_MS = 1_000;

/**
 * Requires that a user who has a second factor has shown it in the last 15 minutes (RFC 9470). Stands behind
 * `authenticateUser`. AppError `insufficient_user_authentication`.
 */
export function recentFactor(_req: unknown, res: Response, next: NextFunction): void {
  const { mfaAt } = callerOf(res);
  if (mfaAt !== undefined && !isRecent(mfaAt, RECENT_S)) {
    throw new AppError(
      'insufficient_user_authentication',
      'Show your second factor again (POST /api/auth/step-up), and repeat the request.',
      { maxAgeS: RECENT_S },
    );
  }
  next();
}

/**
 * Requires `recentFactor`. In a session of a user without a second factor, and of a trusted issuer's token, it requires
 * that the user signed in or showed the password in the last ten minutes: a stolen session, or a token of seconds, must
 * not add what opens the account later. API keys go on, because nothing can be shown here for them. AppError
 * `insufficient_user_authentication`.
 */
export function recentSignIn(req: unknown, res: Response, next: NextFunction): void {
  const { via, issuerId, mfaAt, authenticatedAt } = callerOf(res);
  const isAsked = via === 'jwt' && mfaAt === undefined;
  if (isAsked && !isRecent(authenticatedAt, SIGN_IN_S)) {
    throw new AppError(
      'insufficient_user_authentication',
      issuerId === undefined
        ? 'Show your password (POST /api/auth/step-up), or sign in again, and repeat the request.'
        : 'Sign in at your issuer again (max_age=600), and repeat the request with its token, whose auth_time says so.',
      { maxAgeS: SIGN_IN_S },
    );
  }
  recentFactor(req, res, next);
}

/** A moment that lies as far ahead is none either: clocks differ by less, and an issuer may have another unit. */
const isRecent = (at: Date | undefined, maxAgeS: number): boolean =>
  at !== undefined && Math.abs(Date.now() - at.getTime()) <= maxAgeS * SECOND_MS;
