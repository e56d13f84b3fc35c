import { mount } from '@junction/service/http';
import { type ErrorRequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { SecurityEventRefusal } from '../../../application/ending/security-event-refusal.js';

/** Returns the route to which providers push security events (RFC 8935). */
export function securityEventRoutes(app: Pick<Application, 'receiveSecurityEvent'>): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'receiveSecurityEvent',
      method: 'post',
      path: '/api/integrations/:identityProvider/:provider/security-events',
      summary: 'Take a security event of a provider (RFC 8935)',
      about: 'Answers once the event has taken effect.',
      body: z.string(),
      bodyType: 'application/secevent+jwt',
      status: 202,
      refusal: { statuses: [400], answer: z.object({ err: z.string(), description: z.string() }) },
      problems: [
        'unknown_provider',
        'unknown_identity_provider',
        'security_events_not_set_up',
        'keys_unavailable',
        'too_many_events',
      ],
    },
    async ({ req }) => {
      const body: unknown = req.body;
      const token = typeof body === 'string' ? body.trim() : '';
      await app.receiveSecurityEvent(req.params, token);
    },
  );
  return router.use(refusal);
}

/** Answers a refused event by RFC 8935, section 2.3. Express recognises an error handler by its four parameters. */
const refusal: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (!(error instanceof SecurityEventRefusal)) return next(error);
  res.status(400).set('content-language', 'en');
  res.json({ err: error.err, description: error.message });
};
