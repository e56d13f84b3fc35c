import { AppError } from '@junction/errors';
import type { RequestHandler } from 'express';
import { callerOf } from '../servers/http/caller.js';

/** Stands behind `authenticateUser`. AppError `operator_required` for everybody whose token says no such role. */
export const operatorsOnly: RequestHandler = (_req, res, next) => {
  const { via, isOperator } = callerOf(res);
  if (via !== 'jwt' || isOperator !== true) {
    throw new AppError('operator_required', 'Only operators may ask for this.');
  }
  next();
};
