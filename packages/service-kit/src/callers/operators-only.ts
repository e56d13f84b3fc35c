import { AppError } from '@junction/errors';
import type { RequestHandler } from 'express';
import { callerOf } from '../servers/http/caller.js';
import { recentFactor } from './recent-factor.js';

/**
 * Stands behind `authenticateUser`. AppError `operator_required` for everybody whose token says no such role,
 * `second_factor_needed` for an operator whose session has shown no second factor: a leaked password must not be enough.
 * What changes something wants `recentFactor` besides.
 */
export const operatorsOnly: RequestHandler = (req, res, next) => {
  const { via, isOperator, mfaAt } = callerOf(res);
  if (via !== 'jwt' || isOperator !== true) {
    throw new AppError('operator_required', 'Only operators may ask for this.');
  }
  if (mfaAt === undefined) {
    throw new AppError(
      'second_factor_needed',
      'Operators need a second factor. Add one to your account first, then sign in with it.',
    );
  }
  if (req.method === 'GET' || req.method === 'HEAD') next();
  else recentFactor(req, res, next);
};
