import { actorOf, type Journal } from '@junction/operations';
import { moment } from '@junction/service';
import { mount, parse } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import type { Application } from '../../../application/application.js';
import { webhook } from '../answers.js';
import { isWebhookId } from '../ids.js';

export interface OperatorChanges {
  readonly app: Pick<
    Application,
    'rotateWebhookKeys' | 'probeCircuit' | 'operate' | 'pauseSending'
  >;
  readonly journal: Journal;
}

const named = z.object({
  webhook_id: z.string().refine(isWebhookId, 'It must be the id of a webhook: wh_…'),
});

/** Adds the route that ends the rest of a webhook that is left alone because it fails. */
export function addProbe(tools: Router, { app, journal }: OperatorChanges): void {
  mount(
    tools,
    {
      id: 'probeCircuit',
      method: 'post',
      path: '/api/ops/webhook-dispatcher/circuits/:webhook_id/probe',
      summary: 'Send the next request to a webhook at once, instead of at the end of its rest',
      about: 'The circuit closes when the request succeeds.',
      status: 204,
      problems: ['circuit_not_open'],
    },
    async ({ req, res }) => {
      const { webhook_id: webhookId } = parse(named, req.params);
      await journal.change(actorOf(res), 'ProbeCircuit', { webhookId }, async () => {
        await app.probeCircuit(webhookId);
        return { answer: undefined, result: {} };
      });
    },
  );
}

/** Adds the route by which operators disable a webhook of any user, and enable it again. */
export function addOperating(people: Router, { app, journal }: OperatorChanges): void {
  mount(
    people,
    {
      id: 'operateWebhook',
      method: 'patch',
      path: '/api/ops/webhook-dispatcher/webhooks/:webhook_id',
      summary: 'Disable a webhook of any user, or enable it again',
      about:
        'The owner reads `disabled_reason` `operator`, and cannot enable it. Deliveries are held meanwhile, as for every disabled webhook. Enabled again, it is as its owner had it.',
      body: z.strictObject({ enabled: z.boolean() }),
      example: { enabled: false },
      answer: z.object({
        ...named.shape,
        user_id: z.uuid(),
        status: webhook.shape.status,
        disabled_reason: webhook.shape.disabled_reason.unwrap().nullable(),
      }),
      problems: ['webhook_not_found'],
    },
    async ({ req, res, body }) => {
      const { webhook_id: webhookId } = parse(named, req.params);
      const { enabled } = body();
      return journal.change(actorOf(res), 'OperateWebhook', { webhookId, enabled }, async () => {
        const { userId, status, disabledReason } = await app.operate(webhookId, enabled);
        const after = { user_id: userId, status, disabled_reason: disabledReason };
        return { answer: { webhook_id: webhookId, ...after }, result: { status } };
      });
    },
  );
}

const pauseBody = z
  .strictObject({
    host: z.string().min(1).max(261).exactOptional().describe('As lists show it.'),
    user_id: z.uuid().exactOptional(),
    paused: z.boolean(),
  })
  .refine(({ host, user_id: user }) => (host === undefined) !== (user === undefined), {
    message: 'Name a host or a user, and not both.',
  });

/** Adds the route by which operators pause what is sent to a host or to a user. */
export function addPause(people: Router, { app, journal }: OperatorChanges): void {
  mount(
    people,
    {
      id: 'pauseSending',
      method: 'post',
      path: '/api/ops/webhook-dispatcher/pauses',
      summary: 'Pause what is sent to a host or to a user, or have it go on',
      about:
        'Deliveries wait, no attempt is made or counted, and they go on in order. Owners read `paused` with `paused_by` `operator`. A request that is under way is not ended.',
      body: pauseBody,
      example: { host: 'hooks.example.org', paused: true },
      answer: z.object({
        webhooks: z.int().describe('Webhooks that it is about; 0 also where it was so already.'),
      }),
    },
    async ({ res, body }) => {
      const { paused, ...what } = body();
      const { host = null, user_id: userId = null } = what;
      const asked = { paused, host: host ?? '', userId: userId ?? '' };
      return journal.change(actorOf(res), 'PauseSending', asked, async () => {
        const answer = { webhooks: await app.pauseSending({ host, userId }, paused) };
        return { answer, result: answer };
      });
    },
  );
}

/** Adds the route that makes a new ed25519 key pair, which signs webhooks in place of the others. */
export function addKeyRotation(tools: Router, { app, journal }: OperatorChanges): void {
  mount(
    tools,
    {
      id: 'rotateWebhookKeys',
      method: 'post',
      path: '/api/ops/webhook-dispatcher/webhook-keys/rotate',
      summary: 'Make another key that signs webhooks',
      about:
        'Receivers that read the keys once a day notice nothing. `compromised`: a key has leaked, so the new one signs at once, and no other counts any more.',
      body: z.strictObject({ compromised: z.boolean() }),
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
      const asked = body();
      return journal.change(actorOf(res), 'RotateWebhookKeys', asked, async () => {
        const rotated = await app.rotateWebhookKeys({ hasLeaked: asked.compromised });
        const answer = {
          kid: rotated.kid,
          public_key: rotated.publicKey,
          signs_from: rotated.signsFrom,
          others_sign_until: rotated.signsUntil,
        };
        return { answer, result: { kid: rotated.kid } };
      });
    },
  );
}
