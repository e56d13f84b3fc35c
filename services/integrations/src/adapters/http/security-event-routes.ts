import { type ErrorRequestHandler, Router } from 'express';
import type { Application } from '../../application/application.js';
import { SecurityEventRefusal } from '../../application/security-event-refusal.js';

/** Where providers push security events (RFC 8935). 202 once the event has taken effect. */
export function securityEventRoutes(app: Pick<Application, 'receiveSecurityEvent'>): Router {
  const router = Router();
  router.post('/api/integrations/:identityProvider/:provider/security-events', async (req, res) => {
    const body: unknown = req.body;
    const token = typeof body === 'string' ? body.trim() : '';
    await app.receiveSecurityEvent(req.params, token);
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
