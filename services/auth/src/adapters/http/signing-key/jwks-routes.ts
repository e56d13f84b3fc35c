import { mount } from '@junction/service/http';
import { Router } from 'express';
import { JWKS_MAX_AGE_MS } from '../../../domain/signing-key/rotation.js';
import type { SigningKeys } from '../../jwt/signing-keys.js';
import * as answers from '../answers.js';

const SECOND_MS = 1_000;
export const JWKS_PATH = '/.well-known/jwks.json';

/** The keys that access tokens verify with (RFC 7517). */
export function jwksRoutes(keys: SigningKeys): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'getKeys',
      method: 'get',
      path: JWKS_PATH,
      summary: 'Get the keys that access tokens verify with',
      about:
        'A JWK Set (RFC 7517). Keep it for as long as Cache-Control says, and ask again for a `kid` that is not in it.',
      answer: answers.jwks,
    },
    ({ res }) => {
      res.set('cache-control', `public, max-age=${JWKS_MAX_AGE_MS / SECOND_MS}`);
      return keys.published();
    },
  );
  return router;
}
