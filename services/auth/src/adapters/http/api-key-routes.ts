import { API_KEY_SCOPES } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { recentFactor } from '@junction/service-kit/callers';
import { callerOf, parse } from '@junction/service-kit/http';
import { Router } from 'express';
import { z } from 'zod';
import type { ApiKeyRow } from '../../application/api-key/ports.js';
import type { Application } from '../../application/application.js';
import { userOf } from './session-of.js';

const NAME_MAX = 100;

// Controls and halves of surrogate pairs have no place in a name, and Postgres refuses some of them.
export const keyName = z
  .string()
  .trim()
  .min(1)
  .max(NAME_MAX)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must not hold control characters');

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

export function apiKeyRoutes(app: Application): Router {
  const router = Router();
  const ownKey = async (userId: string, id: string) => {
    const key = (await app.listApiKeys(userId)).find(({ keyId }) => keyId === id);
    if (key === undefined) throw apiKeyNotFound();
    return key;
  };

  router.post('/api/auth/api-keys', recentFactor, async (req, res) => {
    const userId = userOf(res);
    const { name, scopes, expires_at } = parse(newApiKey, req.body);
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    const created = await app.createApiKey(userId, { name, scopes, expiresAt });
    res.status(201).location(`/api/auth/api-keys/${created.keyId}`);
    res.json({ ...apiKeyView(created), key: created.key });
  });

  router.get('/api/auth/api-keys', async (_req, res) => {
    const keys = await app.listApiKeys(callerOf(res).userId);
    // A user has so few that they are always one page.
    res.json({ items: keys.map(apiKeyView), next_cursor: null });
  });

  router.get('/api/auth/api-keys/:id', async (req, res) => {
    res.json(apiKeyView(await ownKey(callerOf(res).userId, req.params.id)));
  });

  router.post('/api/auth/api-keys/:id/rotate', recentFactor, async (req, res) => {
    const userId = userOf(res);
    const { overlap_s } = parse(rotation, req.body);
    const { key } = await app.rotateApiKey(userId, req.params.id, overlap_s);
    res.json({ ...apiKeyView(await ownKey(userId, req.params.id)), key });
  });

  router.delete('/api/auth/api-keys/:id', async (req, res) => {
    const userId = userOf(res);
    await app.revokeApiKey(userId, req.params.id);
    res.status(204).end();
  });

  return router;
}

const apiKeyNotFound = (): AppError =>
  new AppError('api_key_not_found', 'You have no API key with this id.');

export const apiKeyView = ({
  keyId,
  name,
  scopes,
  createdAt,
  ...key
}: Omit<ApiKeyRow, 'userId'>) => ({
  id: keyId,
  name,
  scopes,
  created_at: createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  previous_valid_until: key.previousValidUntil?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
});
