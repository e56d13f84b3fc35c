import { AppError } from '@junction/errors';
import type { NextFunction, Response } from 'express';
import { callerOf } from '../http/caller.js';

/**
 * Refuses a user who has to verify their address first: an account that was opened with another person's address must
 * not gather what that person would take over with it. Stands behind `authenticateUser`. AppError `email_unverified`.
 */
export function verifiedEmail(_req: unknown, res: Response, next: NextFunction): void {
  if (callerOf(res).isUnverified === true) {
    throw new AppError(
      'email_unverified',
      'Verify your e-mail address first: open the link of the mail that came when you signed up, or have it sent again from the page Account.',
    );
  }
  next();
}
