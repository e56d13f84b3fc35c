import {
  authenticateUser,
  type Health,
  httpApp,
  jsonBody,
  type Logger,
  type Metrics,
  sameOriginOnly,
} from '@junction/service-kit';
import type { Express } from 'express';
import type { Application } from '../../application/application.js';
import type { SigningKeys } from '../jwt/signing-keys.js';
import { accountRoutes, registrationRoutes } from './account-routes.js';
import { apiKeyRoutes } from './api-key-routes.js';
import { browserSessionRoutes } from './browser-session-routes.js';
import { jwksRoutes } from './jwks-routes.js';
import { loginRoutes, sessionRoutes } from './session-routes.js';
import { tokenRoutes } from './token-routes.js';

export interface WebAppOptions
  extends Pick<Parameters<typeof authenticateUser>[0], 'verify' | 'revoked' | 'publicUrl'> {
  readonly app: Application;
  readonly refreshTokenTtlMs: number;
  readonly keys: SigningKeys;
  readonly log: Logger;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly trustedProxies: readonly string[];
}

export function webApp(options: WebAppOptions): Express {
  const { app, keys, verify, revoked, publicUrl, refreshTokenTtlMs, ...observed } = options;
  const authenticate = authenticateUser({
    verify,
    revoked,
    publicUrl,
    apiKey: async (key) => {
      const holder = await app.holderOf(key);
      return holder && { kind: 'user', via: 'api_key', ...holder };
    },
  });
  const known = [authenticate, jsonBody];

  return httpApp({
    ...observed,
    routes: [
      { through: [], router: jwksRoutes(keys) },
      { through: [], router: tokenRoutes(app) },
      { through: [jsonBody], router: registrationRoutes(app) },
      { through: [jsonBody], router: loginRoutes(app) },
      {
        through: [sameOriginOnly(publicUrl), jsonBody],
        router: browserSessionRoutes({ app, verify, refreshTokenTtlMs }),
      },
      { through: known, router: sessionRoutes(app) },
      { through: known, router: accountRoutes(app) },
      { through: known, router: apiKeyRoutes(app) },
    ],
  });
}
