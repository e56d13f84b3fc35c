import {
  type Connection,
  type IntegrationsServiceServer,
  IntegrationsServiceService,
  SERVICE_SCOPES,
} from '@junction/contracts';
import { type GrpcService, unary } from '@junction/service/grpc';
import { parse } from '@junction/service/http';
import type { Logger } from '@junction/service/process';
import { z } from 'zod';
import type { Application } from '../../application/application.js';
import type { ConnectionRecord } from '../../application/connections/ports.js';

const SECOND_MS = 1_000;
const SCOPES_MAX = 50;
const SCOPE_CHARS_MAX = 100;

/** Protobuf has no absent text: an empty one names none. */
const integrationId = z.string().transform((id) => (id === '' ? undefined : id));

const tokenRequest = z.object({
  userId: z.uuid(),
  provider: z.string().min(1),
  integrationId,
  scopes: z.array(z.string().max(SCOPE_CHARS_MAX)).max(SCOPES_MAX),
  minLifetimeS: z.int().nonnegative(),
});

const refusedToken = z.object({
  userId: z.uuid(),
  provider: z.string().min(1),
  integrationId,
  credentialVersion: z.int().positive(),
});

const ofUser = z.object({ userId: z.uuid() });

const { readConnections, readTokens } = SERVICE_SCOPES;

/** Serves IntegrationsService to callers who may read tokens or connections. */
export const integrationsGrpc = (app: Application, log: Logger): GrpcService => ({
  definition: IntegrationsServiceService,
  implementation: integrationsService(app, log),
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
const integrationsService = (app: Application, log: Logger): IntegrationsServiceServer => ({
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
    const rows = await app.list(parse(ofUser, request).userId);
    return { connections: rows.map(connectionView) };
  }),
});

/** Returns the view of a connection without its account, which is for its user alone. */
const connectionView = (row: ConnectionRecord): Connection => ({
  integrationId: row.connectionId,
  identityProvider: row.identityProvider,
  isPrimary: row.isPrimary,
  provider: row.provider,
  status: row.status,
  statusReason: row.statusReason ?? '',
  grantedScopes: [...row.grantedScopes],
  missingScopes: [...row.missingScopes],
  credentialVersion: row.credentialVersion,
  connectedAt: row.connectedAt,
});
