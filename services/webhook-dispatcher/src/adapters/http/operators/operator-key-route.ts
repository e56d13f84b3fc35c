import { actorOf } from '@junction/operations';
import { mount } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { moment } from './operator-fields.js';
import type { OperatorRoutesOptions } from './operator-options.js';

const rotation = z.strictObject({ compromised: z.boolean() });

/** Adds the route that makes a new ed25519 key pair, which signs webhooks in place of the others. */
export function addKeyRotation(tools: Router, { app, journal }: OperatorRoutesOptions): void {
  mount(
    tools,
    {
      id: 'rotateWebhookKeys',
      method: 'post',
      path: '/api/ops/webhook-dispatcher/webhook-keys/rotate',
      summary: 'Make another key that signs webhooks',
      about:
        'Receivers that read the keys once a day notice nothing. `compromised`: a key has leaked, so the new one signs at once, and no other counts any more.',
      body: rotation,
      example: { compromised: false },
      answer: z.object({
        kid: z.string().describe('Thumbprint of the key (RFC 7638).'),
        public_key: z.string().describe('`whpk_` and base64, as Standard Webhooks writes it.'),
        signs_from: moment,
        others_sign_until: moment.describe(
          'Time until which the other keys sign beside it, and are published.',
        ),
      }),
    },
    async ({ res, body }) => {
      const { compromised } = body();
      const asked = { compromised };
      return journal.change(actorOf(res), 'RotateWebhookKeys', asked, async () => {
        const rotated = await app.rotateWebhookKeys({ hasLeaked: compromised });
        const answer = {
          kid: rotated.kid,
          public_key: rotated.publicKey,
          signs_from: rotated.signsFrom.toISOString(),
          others_sign_until: rotated.signsUntil.toISOString(),
        };
        return { answer, result: { kid: rotated.kid } };
      });
    },
  );
}
