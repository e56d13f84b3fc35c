import { Router } from 'express';
import { JWKS_MAX_AGE_MS } from '../../domain/signing-key/rotation.js';
import type { SigningKeys } from '../jwt/signing-keys.js';

const SECOND_MS = 1_000;

export function jwksRoutes(keys: SigningKeys): Router {
  const router = Router();

  router.get('/.well-known/jwks.json', (_req, res) => {
    res
      .set('cache-control', `public, max-age=${JWKS_MAX_AGE_MS / SECOND_MS}`)
      .json(keys.published());
  });

  return router;
}
