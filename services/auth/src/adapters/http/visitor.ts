import { showRateLimit } from '@junction/service-kit/http';
import type { Request, Response } from 'express';
import type { Visitor } from '../../application/ports.js';

/** Who asks where nobody has to sign in first. The answer shows the limits that the request meets. */
export const visitorOf = ({ ip = '' }: Request, res: Response): Visitor => ({
  ip,
  onLimit: (state) => showRateLimit(res, state),
});
