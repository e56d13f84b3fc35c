import { showRateLimit } from '@junction/service/http';
import type { Request, Response } from 'express';
import type { Visitor } from '../../application/ports.js';

/** The sender of a request that needs no sign-in. The answer shows the limits that the request meets. */
export const visitorOf = ({ ip = '' }: Request, res: Response): Visitor => ({
  ip,
  onLimit: (state) => showRateLimit(res, state),
});
