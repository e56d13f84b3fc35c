import { API_KEY_SCOPES } from '@junction/contracts';
import { type Reading, readList, readOne } from '@junction/service';
import { recentSignIn, verifiedEmail } from '@junction/service/callers';
import { callerOf, mount } from '@junction/service/http';
import { type Response, Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { apiKeys, ownKey } from '../../postgres/api-key/api-key-reads.js';
import * as answers from '../answers.js';
import { keyName } from '../credentials-schema.js';
import { userOf } from '../session-of.js';

const DAY_S = 24 * 60 * 60;
const OVERLAP_MAX_S = 7 * DAY_S;
/** Other services believe a key they have seen for a minute: a shorter overlap could not be kept. */
const OVERLAP_MIN_S = 60;

const overlap = z
  .number()
  .int()
  .max(OVERLAP_MAX_S)
  .refine((s) => s === 0 || s >= OVERLAP_MIN_S, `must be 0, or at least ${OVERLAP_MIN_S}`)
  .default(DAY_S);

const rotation = z.strictObject({ overlap_s: overlap });

const scopes = z.array(z.enum(API_KEY_SCOPES)).min(1).max(API_KEY_SCOPES.length);

const newApiKey = z.strictObject({
  name: keyName,
  scopes: scopes.optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});

export function apiKeyRoutes(app: Application, reading: Reading): Router {
  const router = Router();
  addReads(router, reading);
  addChanges(router, app);
  return router;
}

const ofCaller = (res: Response) => ({ user_id: callerOf(res).userId });

function addReads(router: Router, reading: Reading): void {
  readList(router, reading, {
    id: 'listApiKeys',
    path: '/api/auth/api-keys',
    summary: 'List the API keys of the caller',
    about: 'A user has so few that they are always one page.',
    read: apiKeys,
    asks: ({ res }) => ({ values: ofCaller(res) }),
  });

  readOne(router, reading, {
    id: 'getApiKey',
    path: '/api/auth/api-keys/:id',
    summary: 'Get an API key, without its secret',
    about: 'The beginning of the key tells it from others.',
    problems: ['api_key_not_found'],
    ...ownKey,
    asks: ({ req, res }) => ({ values: { ...ofCaller(res), id: req.params.id } }),
  });
}

function addChanges(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'createApiKey',
      method: 'post',
      path: '/api/auth/api-keys',
      summary: 'Make an API key',
      about:
        'Without `scopes` it may do everything its owner may, except what needs a session. The key of a trusted issuer’s user counts for 90 days at most, and not while its issuer has been silent for an hour.',
      through: [verifiedEmail, recentSignIn],
      body: newApiKey,
      example: { name: 'nightly export', scopes: ['webhooks:read'] },
      answer: answers.newApiKey,
      status: 201,
      problems: [
        'session_required',
        'too_many_api_keys',
        'expires_in_the_past',
        'expires_too_late',
      ],
    },
    async ({ res, body }) => {
      const userId = userOf(res);
      const { name, scopes, expires_at } = body();
      const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
      const { sessionId } = callerOf(res);
      const asked = { name, scopes, expiresAt, sessionId };
      const { keyId, key, shown } = await app.createApiKey(userId, asked);
      res.location(`/api/auth/api-keys/${keyId}`);
      return { ...shown, key };
    },
  );

  addRotation(router, app);
}

function addRotation(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'rotateApiKey',
      method: 'post',
      path: '/api/auth/api-keys/:id/rotate',
      summary: 'Give an API key a new secret',
      about: 'The old one counts for `overlap_s` seconds more, a day unless another time is given.',
      through: [recentSignIn],
      body: rotation,
      example: { overlap_s: 3600 },
      answer: answers.newApiKey,
      problems: ['session_required', 'api_key_not_found'],
    },
    async ({ req, res, body }) => {
      const userId = userOf(res);
      const { overlap_s } = body();
      const { sessionId } = callerOf(res);
      const asked = [userId, req.params.id, overlap_s, sessionId] as const;
      const { key, shown } = await app.rotateApiKey(...asked);
      return { ...shown, key };
    },
  );

  mount(
    router,
    {
      id: 'revokeApiKey',
      method: 'delete',
      path: '/api/auth/api-keys/:id',
      summary: 'Revoke an API key',
      about: 'The key counts no more, on any replica, from a second later on.',
      status: 204,
      problems: ['session_required', 'api_key_not_found'],
    },
    async ({ req, res }) => {
      const userId = userOf(res);
      await app.revokeApiKey(userId, req.params.id);
    },
  );
}
