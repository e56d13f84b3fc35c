import type { EventCatalogue } from '@junction/contracts';
import {
  callerOf,
  ifMatchOf,
  MERGE_PATCH,
  mount,
  parse,
  setEntityTag,
} from '@junction/service/http';
import { type Response, Router } from 'express';
import type { Application } from '../../../application/application.js';
import type { Webhook } from '../../../application/webhooks/ports.js';
import type { TargetRules } from '../../webhook/target-rules.js';
import * as answers from '../answers.js';
import { webhookIdOf } from '../ids.js';
import { healthView, pageView, webhookView } from '../views.js';
import { pageQuery, rotation, webhookSchemas } from './webhook-schemas.js';

type Schemas = ReturnType<typeof webhookSchemas>;

/** Webhooks themselves: they are made, read, changed, and deleted. */
export function webhookRoutes(
  app: Application,
  rules: TargetRules,
  catalogue: EventCatalogue,
): Router {
  const schemas = webhookSchemas(rules, catalogue);
  const router = Router();
  addReads(router, app);
  addCreate(router, app, schemas);
  addConfigure(router, app, schemas);
  addChange(router, app, schemas);

  mount(
    router,
    {
      id: 'rotateWebhookSecret',
      method: 'post',
      path: '/api/webhooks/:id/rotate-secret',
      summary: 'Give a webhook a new secret',
      about: 'Requests are signed with both secrets for a day.',
      body: rotation,
      example: {},
      answer: answers.rotatedWebhook,
      hasVersion: true,
      takesIfMatch: true,
      problems: ['webhook_not_found'],
    },
    async ({ req, res, body }) => {
      const { userId } = callerOf(res);
      const webhookId = webhookIdOf(req.params.id);
      const { secret } = body();
      const wanted = { secret, ifVersion: ifMatchOf(req) };
      const { webhook, newSecret } = await app.rotateSecret(userId, webhookId, wanted);
      return { ...tagged(res, webhook), ...(newSecret !== undefined && { secret: newSecret }) };
    },
  );

  addDeletion(router, app);
  return router;
}

function addDeletion(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'deleteWebhook',
      method: 'delete',
      path: '/api/webhooks/:id',
      summary: 'Delete a webhook',
      about: 'Deliveries that wait for it are cancelled.',
      status: 204,
      takesIfMatch: true,
      problems: ['webhook_not_found'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      await app.delete(userId, webhookIdOf(req.params.id), ifMatchOf(req));
    },
  );
}

function addReads(router: Router, app: Application): void {
  mount(
    router,
    {
      id: 'listWebhooks',
      method: 'get',
      path: '/api/webhooks',
      summary: 'List the webhooks of the caller',
      about: 'The newest first.',
      query: pageQuery,
      answer: answers.webhookPage,
    },
    async ({ res, query, signal }) => {
      const { userId } = callerOf(res);
      const { cursor: after, ...asked } = query();
      const page = await app.reading(signal).list(userId, { after, ...asked });
      return { ...pageView(page, webhookView), webhooks_max: app.webhooksMax() };
    },
  );

  mount(
    router,
    {
      id: 'getWebhook',
      method: 'get',
      path: '/api/webhooks/:id',
      summary: 'Get a webhook',
      about: 'The answer has an ETag: send it as If-Match with a change.',
      answer: answers.webhook,
      hasVersion: true,
      problems: ['webhook_not_found'],
    },
    async ({ req, res, signal }) => {
      const { userId } = callerOf(res);
      return tagged(res, await app.reading(signal).find(userId, webhookIdOf(req.params.id)));
    },
  );
}

function addCreate(router: Router, app: Application, schemas: Schemas): void {
  mount(
    router,
    {
      id: 'createWebhook',
      method: 'post',
      path: '/api/webhooks',
      summary: 'Make a webhook',
      about: 'Also beside others with the same url.',
      body: schemas.configure,
      example: {
        url: 'https://hooks.example.org/junction',
        events: ['meeting.*'],
        enabled: true,
        metadata: { team: 'calendar' },
      },
      answer: answers.webhook,
      status: 201,
      hasVersion: true,
      problems: ['webhook_limit_reached'],
    },
    async ({ res, body }) => {
      const webhook = await app.create(callerOf(res).userId, body());
      res.location(`/api/webhooks/${webhook.webhookId}`);
      return tagged(res, webhook);
    },
  );
}

function addConfigure(router: Router, app: Application, schemas: Schemas): void {
  mount(
    router,
    {
      id: 'configureWebhook',
      method: 'post',
      path: '/api/webhooks/configure',
      summary: 'Make the webhook of a url, or change it',
      about:
        'Answers 201 when there was none. What is left out of a webhook that exists stays. Of several with that url it changes the oldest.',
      body: schemas.configure,
      example: {
        url: 'https://hooks.example.org/junction',
        events: ['inbox.organized', 'draft.created'],
        enabled: true,
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      },
      answer: answers.webhook,
      status: [200, 201],
      hasVersion: true,
      problems: ['webhook_limit_reached', 'webhook_disabled_by_operator'],
    },
    async ({ res, body }) => {
      const { userId } = callerOf(res);
      const { created, webhook } = await app.configure(userId, body());
      if (created) res.status(201).location(`/api/webhooks/${webhook.webhookId}`);
      return tagged(res, webhook);
    },
  );
}

function addChange(router: Router, app: Application, schemas: Schemas): void {
  mount(
    router,
    {
      id: 'changeWebhook',
      method: 'patch',
      path: '/api/webhooks/:id',
      summary: 'Change a webhook',
      about:
        'Members that are left out stay; null clears an option. As a merge patch (RFC 7396), `filter`, `headers` and `metadata` are merged.',
      body: schemas.change,
      example: { paused: true, description: 'Moves on Friday' },
      answer: answers.webhook,
      hasVersion: true,
      takesIfMatch: true,
      problems: ['webhook_not_found', 'webhook_disabled_by_operator'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      const webhookId = webhookIdOf(req.params.id);
      const ifVersion = ifMatchOf(req);
      const requestOf = (body: unknown) => parse(schemas.change, body);
      const webhook = req.is(MERGE_PATCH)
        ? await app.merge(userId, webhookId, { patch: req.body, requestOf, ifVersion })
        : await app.change(userId, webhookId, { ...requestOf(req.body), ifVersion });
      return tagged(res, webhook);
    },
  );
}

/** Returns the view of a webhook, and sets its entity tag. */
function tagged(res: Response, webhook: Webhook) {
  setEntityTag(res, webhook.version, healthView(webhook));
  return webhookView(webhook);
}
