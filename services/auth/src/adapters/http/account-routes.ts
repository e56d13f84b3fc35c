import { callerOf, parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import { email, newPassword } from './credentials-schema.js';
import { sessionOf } from './session-of.js';
import { visitorOf } from './visitor.js';

const registration = z.strictObject({ email, password: newPassword });

/** Open to everybody. */
export function registrationRoutes(app: Application): Router {
  const router = Router();

  router.post('/api/auth/register', async (req, res) => {
    const { email, password } = parse(registration, req.body);
    const user = await app.register({ email, password, visitor: visitorOf(req, res) });
    res
      .status(201)
      .location('/api/auth/me')
      .json({ user: { id: user.id, email: user.email } });
  });

  return router;
}

export function accountRoutes(app: Application): Router {
  const router = Router();

  router.get('/api/auth/me', async (_req, res) => {
    const { id, email, createdAt } = await app.me(callerOf(res).userId);
    res.json({ user: { id, email, created_at: createdAt.toISOString() } });
  });

  router.delete('/api/auth/me', async (_req, res) => {
    await app.deleteMe(sessionOf(res).userId);
    res.status(204).end();
  });

  return router;
}
