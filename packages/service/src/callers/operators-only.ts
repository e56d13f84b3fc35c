import { AppError } from '@junction/errors';
import type { RequestHandler } from 'express';
import { callerOf } from '../http/caller.js';
import { recentFactor } from './recent-factor.js';

/**
 * Refuses everybody but operators. Stands behind `authenticateUser`. AppError `operator_required` when the token does
 * not name that role, `second_factor_needed` when the operator's session has shown no second factor: a leaked password
 * must not be enough. Requests that change something also need `recentFactor`.
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
