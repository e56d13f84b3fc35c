import { AppError } from '@junction/errors';
import type { NextFunction, Response } from 'express';
import { callerOf } from '../servers/http/caller.js';

/** So long a proof of the second factor is recent. */
const RECENT_S = 15 * 60;
const SECOND_MS = 1_000;

/**
 * Wants the second factor of a user who has one to have been shown in the last 15 minutes (RFC 9470). Stands behind
 * `authenticateUser`. AppError `insufficient_user_authentication`.
 */
export function recentFactor(_req: unknown, res: Response, next: NextFunction): void {
  const { mfaAt } = callerOf(res);
  if (mfaAt !== undefined && mfaAt.getTime() + RECENT_S * SECOND_MS < Date.now()) {
    throw new AppError(
      'insufficient_user_authentication',
      'Show your second factor again (POST /api/auth/step-up), and repeat the request.',
      { maxAgeS: RECENT_S },
    );
  }
  next();
}

/**
 * The same for what nobody may do without a second factor: an operator whose password leaked must not be enough. AppError
 * `second_factor_needed` for a user who has none, or whose second factor nobody can see.
 */
export function provenFactor(req: unknown, res: Response, next: NextFunction): void {
  if (callerOf(res).mfaAt === undefined) {
    throw new AppError(
      'second_factor_needed',
      'This needs a second factor. Add one to your account, and sign in with it.',
    );
  }
  recentFactor(req, res, next);
}
