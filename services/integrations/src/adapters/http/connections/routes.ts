import { type Reading, readItem, readList, readOne } from '@junction/service';
import { callerOf, mount } from '@junction/service/http';
import { Router } from 'express';
import type { Application } from '../../../application/application.js';
import { integrationNotFound } from '../../../application/integration-named.js';
import {
  integrationNamed,
  integrations,
  integrationWithId,
} from '../../postgres/connections/connection-reads.js';

/**
 * Returns the routes for connected accounts. `:integration` is a kind, for its primary integration, or the id of an
 * integration.
 */
export function integrationRoutes(reading: Reading): Router {
  const router = Router();

  readList(router, reading, {
    id: 'listIntegrations',
    path: '/api/integrations',
    summary: 'List the integrations of the caller',
    about:
      'Mailboxes first; of a kind the primary one first, then the oldest. Integrations that have ended stay in the list.',
    read: integrations,
    asks: ({ res }) => ({ values: { user_id: callerOf(res).userId } }),
    member: 'integrations',
  });

  readOne(router, reading, {
    id: 'getIntegration',
    path: '/api/integrations/:integration',
    summary: 'Get an integration',
    about: 'A kind (`mailbox`, `calendar`) stands for its primary integration.',
    problems: ['integration_not_found', 'unknown_provider'],
    read: integrationNamed,
    missing: integrationNotFound,
    version: (row) => ('version' in row ? row.version : undefined),
    asks: ({ req, res }) => ({
      values: { user_id: callerOf(res).userId, named: req.params.integration },
    }),
  });

  return router;
}

/** Returns the route that makes an account the primary of its kind. */
export function primaryRoutes(app: Pick<Application, 'makePrimary'>, { pool }: Reading): Router {
  const router = Router();

  mount(
    router,
    {
      id: 'makeIntegrationPrimary',
      method: 'post',
      path: '/api/integrations/:integrationId/primary',
      summary: 'Make an integration the primary one of its kind',
      about: 'The primary one serves wherever its kind alone is named.',
      answer: integrations.item,
      hasVersion: true,
      problems: ['integration_not_found', 'integration_ended', 'connection_contended'],
    },
    async ({ req, res }) => {
      const { userId } = callerOf(res);
      const { integrationId } = req.params;
      await app.makePrimary(userId, integrationId);
      const version = (row: { readonly version: number }) => row.version;
      const primary = { read: integrationWithId, missing: integrationNotFound, version };
      return readItem(primary, pool, { user_id: userId, connection_id: integrationId }, res);
    },
  );

  return router;
}
