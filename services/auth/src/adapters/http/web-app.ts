import {
  authenticateUser,
  type Health,
  httpApp,
  jsonBody,
  type Logger,
  type Metrics,
} from '@junction/service-kit';
import type { Express } from 'express';
import type { Application } from '../../application/application.js';
import type { SigningKeys } from '../jwt/signing-keys.js';
import { accountRoutes, registrationRoutes } from './account-routes.js';
import { apiKeyRoutes } from './api-key-routes.js';
import { jwksRoutes } from './jwks-routes.js';
import { loginRoutes, sessionRoutes } from './session-routes.js';
import { tokenRoutes } from './token-routes.js';

export interface WebAppOptions
  extends Pick<Parameters<typeof authenticateUser>[0], 'verify' | 'revoked'> {
  readonly app: Application;
  readonly keys: SigningKeys;
  readonly log: Logger;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly trustedProxies: readonly string[];
}

export function webApp({ app, keys, verify, revoked, ...options }: WebAppOptions): Express {
  const authenticate = authenticateUser({
    verify,
    revoked,
    apiKey: async (key) => {
      const holder = await app.holderOf(key);
      return holder && { kind: 'user', via: 'api_key', ...holder };
    },
  });
  const known = [authenticate, jsonBody];

  return httpApp({
    ...options,
    routes: [
      { through: [], router: jwksRoutes(keys) },
      { through: [], router: tokenRoutes(app) },
      { through: [jsonBody], router: registrationRoutes(app) },
      { through: [jsonBody], router: loginRoutes(app) },
      { through: known, router: sessionRoutes(app) },
      { through: known, router: accountRoutes(app) },
      { through: known, router: apiKeyRoutes(app) },
    ],
  });
}
