import { jest } from '@jest/globals';
import type { NextFunction, Response } from 'express';
import { type Caller, setCaller } from '../src/http/caller.js';

type Gate = (req: unknown, res: Response, next: NextFunction) => void;

/** Returns what a gate in front of a route does with a caller: `next`, or the error that it throws. */
export function outcomeOf(gate: Gate, caller: Partial<Caller> | undefined): unknown {
  const res = {} as Response;
  if (caller !== undefined) {
    setCaller(res, { kind: 'user', via: 'jwt', userId: 'user', scopes: [], ...caller });
  }
  const next = jest.fn();
  try {
    gate({}, res, next);
  } catch (error) {
    return error;
  }
  return next.mock.calls.length === 1 ? 'next' : undefined;
}
