import {
  type Connection,
  type IntegrationsServiceServer,
  IntegrationsServiceService,
  SERVICE_SCOPES,
} from '@junction/contracts';
import { type GrpcService, unary } from '@junction/service/grpc';
import { parse } from '@junction/service/http';
import type { Logger } from '@junction/service/process';
import type pg from 'pg';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import { type IntegrationRow, integrations } from '../postgres/connections/connection-reads.js';
import { lifetimeS, provider, scopes, version } from '../token-fields.js';

const SECOND_MS = 1_000;

/** Protobuf has no absent text: an empty one names none. */
const integrationId = z.string().transform((id) => (id === '' ? undefined : id));

const tokenRequest = z.object({
  userId: z.uuid(),
  provider,
  integrationId,
  scopes,
  minLifetimeS: lifetimeS,
});

const refusedToken = z.object({
  userId: z.uuid(),
  provider,
  integrationId,
  credentialVersion: version,
});

const ofUser = z.object({ userId: z.uuid() });

const { readConnections, readTokens } = SERVICE_SCOPES;

/** Serves IntegrationsService to callers who may read tokens or connections. */
export const integrationsGrpc = (app: Application, pool: pg.Pool, log: Logger): GrpcService => ({
  definition: IntegrationsServiceService,
  implementation: integrationsService(app, pool, log),
  scopes: {
    getAccessToken: readTokens,
    reportUnauthorized: readTokens,
    listConnections: readConnections,
  },
});

/**
 * Implements IntegrationsService: access tokens for internal workers, each call audited with its caller. Refresh tokens
 * never leave this service.
 */
const integrationsService = (
  app: Application,
  pool: pg.Pool,
  log: Logger,
): IntegrationsServiceServer => ({
  getAccessToken: unary(log, async (request, { caller: { clientId } }) => {
    const { minLifetimeS, ...rest } = parse(tokenRequest, request);
    const token = await app.getAccessToken({
      ...rest,
      clientId,
      minLifetimeMs: minLifetimeS * SECOND_MS,
    });
    const { accessToken, expiresAt, scopes, credentialVersion, connectionId } = token;
    const answer = { accessToken, expiresAt, scopes: [...scopes], credentialVersion };
    return { ...answer, integrationId: connectionId };
  }),

  reportUnauthorized: unary(log, async (request, { caller: { clientId } }) => {
    const refused = { ...parse(refusedToken, request), clientId };
    const { status, credentialVersion } = await app.reportUnauthorized(refused);
    return { status, credentialVersion };
  }),

  listConnections: unary(log, async (request) => {
    const rows = await integrations.rows(pool, { user_id: parse(ofUser, request).userId });
    return { connections: rows.map(connectionView) };
  }),
});

/** Returns the view of a connection without its account, which is for its user alone. */
const connectionView = (row: IntegrationRow): Connection => ({
  integrationId: row.integration_id,
  identityProvider: row.identity_provider,
  isPrimary: row.is_primary,
  provider: row.provider,
  status: row.status,
  statusReason: row.status_reason ?? '',
  grantedScopes: [...row.granted_scopes],
  missingScopes: [...row.missing_scopes],
  credentialVersion: row.credential_version,
  connectedAt: row.connected_at,
});
