import { parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import type { LiveSession } from '../../application/session/ports.js';
import type { Tokens } from '../../application/session/session-tokens.js';
import { email, knownPassword } from './credentials-schema.js';
import { deviceOf } from './device.js';
import { sessionOf } from './session-of.js';
import { visitorOf } from './visitor.js';

const refreshToken = z.string().min(1).max(200);

const login = z.strictObject({ email, password: knownPassword });
const refresh = z.strictObject({ refresh_token: refreshToken });
const endAll = z.strictObject({ include_current: z.enum(['true', 'false']).optional() });
const logout = z.strictObject({ refresh_token: refreshToken.optional() });

/** Open to everybody: what is shown here is the proof itself. */
export function loginRoutes(app: Application): Router {
  const router = Router();

  router.post('/api/auth/login', async (req, res) => {
    const { email, password } = parse(login, req.body);
    const device = deviceOf(req.get('user-agent'));
    res.json(answer(await app.login({ email, password, device, visitor: visitorOf(req, res) })));
  });

  router.post('/api/auth/refresh', async (req, res) => {
    const { refresh_token } = parse(refresh, req.body);
    res.json(answer(await app.refresh(refresh_token)));
  });

  return router;
}

export function sessionRoutes(app: Application): Router {
  const router = Router();

  router.post('/api/auth/logout', async (req, res) => {
    const caller = sessionOf(res);
    const { refresh_token } = parse(logout, req.body);
    await app.logout(caller, refresh_token);
    res.status(204).end();
  });

  router.get('/api/auth/sessions', async (_req, res) => {
    const { userId, sessionId: own } = sessionOf(res);
    const sessions = await app.listSessions(userId);
    // A user has at most a hundred.
    res.json({
      items: sessions.map((session) => ({
        ...sessionView(session),
        is_current: session.sessionId === own,
      })),
      next_cursor: null,
    });
  });

  router.delete('/api/auth/sessions/:id', async (req, res) => {
    await app.endOwnSession(sessionOf(res), req.params.id);
    res.status(204).end();
  });

  router.delete('/api/auth/sessions', async (req, res) => {
    const caller = sessionOf(res);
    const { include_current } = parse(endAll, req.query);
    await app.endAllSessions(caller, include_current === 'true');
    res.status(204).end();
  });

  return router;
}

export const sessionView = ({ sessionId, startedAt, lastUsedAt, device }: LiveSession) => ({
  id: sessionId,
  device: device ?? null,
  started_at: startedAt.toISOString(),
  last_used_at: lastUsedAt.toISOString(),
});

const answer = ({ accessToken, expiresInS, refreshToken }: Tokens) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresInS,
  refresh_token: refreshToken,
});
