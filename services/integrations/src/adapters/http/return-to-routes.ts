import { parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import { identityProviderName, STATE_CHARS_MAX } from './integration-routes.js';

const returnToQuestion = z.strictObject({
  state: z.string().min(1).max(STATE_CHARS_MAX),
  identity_provider: identityProviderName,
});

/**
 * For the callback page, whoever is signed in there. The state is the key: 256 bits that its provider and
 * the two ends of its authorization know. It comes in a body, because addresses are written down.
 */
export function returnToRoutes(app: Pick<Application, 'returnTo'>): Router {
  const router = Router();
  router.post('/api/integrations/:provider/return-to', async (req, res) => {
    const { state, identity_provider: identityProvider } = parse(returnToQuestion, req.body);
    const client = { identityProvider, provider: req.params.provider };
    res.json({ return_to: (await app.returnTo(client, state)) ?? null });
  });
  return router;
}
