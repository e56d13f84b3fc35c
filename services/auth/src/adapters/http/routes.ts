import { SERVICE_SCOPES } from '@junction/contracts';
import type { Gates } from '@junction/service';
import { sameOriginOnly } from '@junction/service/callers';
import { jsonBody, type RouteGroup } from '@junction/service/http';
import type pg from 'pg';
import type { Application } from '../../application/application.js';
import type { Config } from '../../config.js';
import type { SigningKeys } from '../jwt/signing-keys.js';
import { accountRoutes, registrationRoutes } from './account/account-routes.js';
import { passwordResetRoutes, verificationRoutes } from './account/mailed-routes.js';
import { apiKeyRoutes } from './api-key/api-key-routes.js';
import { browserCookies } from './browser-cookies.js';
import { tokenRoutes } from './client/token-routes.js';
import { deletionRoutes, receiptRoutes } from './deletion/deletion-routes.js';
import { issuerSignInRoutes } from './issuer/issuer-sign-in-routes.js';
import type { CookieSealing } from './issuer/pending-sign-in.js';
import { knownBrowser } from './known-browser.js';
import { metadataRoutes } from './metadata-routes.js';
import {
  type PortalRoutesOptions,
  portalLinkRoutes,
  portalSessionRoutes,
} from './portal/portal-routes.js';
import { factorRoutes, passkeyRoutes } from './second-factor/factor-routes.js';
import { browserSessionRoutes } from './session/browser-session-routes.js';
import { loginRoutes, sessionRoutes } from './session/session-routes.js';
import { jwksRoutes } from './signing-key/jwks-routes.js';
import { unsubscribeRoutes } from './trouble/unsubscribe-routes.js';
import { undoRoutes } from './undo/undo-routes.js';

export interface RoutesOptions {
  readonly log: PortalRoutesOptions['log'];
  readonly app: Application;
  readonly pool: pg.Pool;
  readonly keys: SigningKeys;
  readonly config: Pick<Config, 'publicUrl' | 'refreshTokenTtlMs'>;
  readonly sealing: CookieSealing;
}

/** The routes, each with the handlers that its requests pass before it: the order is the policy. */
export const routes =
  ({ app, pool, keys, config: { publicUrl, refreshTokenTtlMs }, sealing, log }: RoutesOptions) =>
  ({
    forServices,
    forUsers,
    idempotent,
    known,
    perhapsKnown,
    verify,
  }: Gates): readonly RouteGroup[] => {
    const reading = { pool };
    const cookies = browserCookies(refreshTokenTtlMs);
    const browser = knownBrowser(sealing);
    return [
      { through: [], router: jwksRoutes(keys) },
      { through: [], router: metadataRoutes(publicUrl) },
      { through: [], router: receiptRoutes(app) },
      { through: [], router: tokenRoutes(app) },
      { through: [], router: unsubscribeRoutes(app, publicUrl) },
      { through: [], router: issuerSignInRoutes({ app, cookies, sealing, publicUrl }) },
      { through: [jsonBody], router: registrationRoutes(app) },
      { through: perhapsKnown, router: verificationRoutes(app) },
      { through: [jsonBody], router: passwordResetRoutes(app, browser, reading) },
      { through: [jsonBody], router: undoRoutes(app) },
      { through: [jsonBody], router: loginRoutes(app) },
      {
        through: [sameOriginOnly(publicUrl), jsonBody],
        router: browserSessionRoutes({ app, verify, cookies, browser }),
      },
      {
        through: [...forServices(SERVICE_SCOPES.openPortals), idempotent],
        router: portalLinkRoutes({ app, publicUrl, log }),
      },
      { through: [jsonBody], router: portalSessionRoutes(app) },
      { through: known, router: sessionRoutes(app, reading) },
      { through: known, router: accountRoutes(app, reading) },
      { through: known, router: deletionRoutes(app) },
      { through: forUsers, router: apiKeyRoutes(app, reading) },
      { through: known, router: factorRoutes(app, cookies) },
      { through: forUsers, router: passkeyRoutes(app, cookies) },
    ];
  };
