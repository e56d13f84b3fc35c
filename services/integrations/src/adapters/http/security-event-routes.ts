import { AppError } from '@junction/errors';
import { clientNetwork } from '@junction/service-kit';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Application } from '../../application/application.js';
import { SecurityEventRefusal } from '../../application/security-event-refusal.js';

const PER_SECOND = 20;
const SECOND_MS = 1_000;

/** Checking signatures is work that anybody can cause, so each network gets so much of it a second. */
export function fewASecond(): RequestHandler {
  const limiter = new RateLimiterMemory({ points: PER_SECOND, duration: 1 });
  return async (req, _res, next) => {
    try {
      await limiter.consume(clientNetwork(req.ip ?? ''));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw new AppError(
        'rate_limited',
        'too_many_events',
        `Too many events from this network: ${PER_SECOND} a second are taken.`,
        { retryAfterS: error.msBeforeNext / SECOND_MS },
      );
    }
    next();
  };
}

/** Where providers push security events (RFC 8935). 202 once the event has taken effect. */
export function securityEventRoutes(app: Pick<Application, 'receiveSecurityEvent'>): Router {
  const router = Router();
  router.post('/api/integrations/:provider/security-events', async (req, res) => {
    const body: unknown = req.body;
    const token = typeof body === 'string' ? body.trim() : '';
    await app.receiveSecurityEvent(req.params.provider, token);
    res.status(202).end();
  });
  return router.use(refusal);
}

/** RFC 8935, section 2.3. Express recognises an error handler by its four parameters. */
const refusal: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (!(error instanceof SecurityEventRefusal)) return next(error);
  res
    .status(400)
    .set('content-language', 'en')
    .json({ err: error.err, description: error.message });
};
