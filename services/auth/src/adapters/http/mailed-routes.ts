import { parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import { email, newPassword } from './credentials-schema.js';
import { visitorOf } from './visitor.js';

const token = z.string().min(1).max(200);

const verification = z.strictObject({ token });
const forgotten = z.strictObject({ email });
const reset = z.strictObject({ token, new_password: newPassword });

/** Open to everybody: what came by mail is the proof itself. */
export function mailedRoutes(app: Application): Router {
  const router = Router();

  router.post('/api/auth/verify-email', async (req, res) => {
    const { token } = parse(verification, req.body);
    await app.verifyEmail(token, visitorOf(req, res));
    res.status(204).end();
  });

  router.post('/api/auth/forgot-password', async (req, res) => {
    const { email } = parse(forgotten, req.body);
    await app.forgotPassword(email, visitorOf(req, res));
    res.status(202).json({});
  });

  router.post('/api/auth/reset-password', async (req, res) => {
    const { token, new_password } = parse(reset, req.body);
    await app.resetPassword(token, new_password, visitorOf(req, res));
    res.status(204).end();
  });

  return router;
}
