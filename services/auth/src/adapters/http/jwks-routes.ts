import { Router } from 'express';
import type { SigningKeys } from '../jwt/signing-keys.js';

/** Much shorter than a new key is published before it signs, so no verifier meets one unawares. */
const JWKS_MAX_AGE_S = 300;

export function jwksRoutes(keys: SigningKeys): Router {
  const router = Router();

  router.get('/.well-known/jwks.json', (_req, res) => {
    res.set('cache-control', `public, max-age=${JWKS_MAX_AGE_S}`).json(keys.published());
  });

  return router;
}
