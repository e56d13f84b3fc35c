import { mount } from '@junction/service/http';
import { Router } from 'express';
import { publicJwk, type WebhookKeys } from '../../../application/sending/webhook-keys.js';
import { KEYS_MAX_AGE_MS } from '../../../domain/webhook-key/rotation.js';
import * as answers from '../answers.js';

const SECOND_MS = 1_000;

/** The keys that webhooks with `signature: ed25519` verify with. */
export function webhookKeysRoutes(keys: WebhookKeys): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'getWebhookKeys',
      method: 'get',
      path: '/.well-known/webhook-keys.json',
      summary: 'Get the keys that webhooks signed with ed25519 verify with',
      about:
        'A JWK Set (RFC 7517). Keep it for as long as Cache-Control says, and ask again for a `kid` that is not in it.',
      answer: answers.webhookKeys,
    },
    ({ res }) => {
      res.set('cache-control', `public, max-age=${KEYS_MAX_AGE_MS / SECOND_MS}`);
      return {
        keys: keys
          .published()
          .map(({ publicKey }) => ({ ...publicJwk(publicKey), whpk: publicKey })),
      };
    },
  );
  return router;
}
