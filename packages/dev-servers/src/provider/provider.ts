import {
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  Provider,
  type ResourceServer,
} from 'oidc-provider';
import { clientMetadata, type DevClient } from './clients.js';
import type { ProviderKeys } from './keys.js';
import { problemPage } from './pages/problem.js';
import type { Profile } from './profile.js';
import { API_AUDIENCE, API_RESOURCE, API_SCOPE, supportedScopes } from './scopes.js';
import type { Store } from './store.js';

const MINUTE_S = 60;
const DAY_S = 24 * 60 * MINUTE_S;

/** Seconds for which a browser stays signed in. */
export const SESSION_TTL_S = 14 * DAY_S;

/** Lifetimes of what is issued, in seconds. */
export interface Lifetimes {
  readonly accessTokenS: number;
  /** Lifetime of each refresh token; each rotation starts it again. */
  readonly refreshTokenS: number;
}

export const DEFAULT_LIFETIMES: Lifetimes = {
  accessTokenS: 60 * MINUTE_S,
  refreshTokenS: 90 * DAY_S,
};

export interface ProviderOptions {
  readonly issuer: string;
  readonly profile: Profile;
  readonly clients: readonly DevClient[];
  readonly keys: ProviderKeys;
  readonly store: Store;
  readonly lifetimes: Lifetimes;
}

export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(options.issuer, configuration(options));
  // When the issuer is https, a proxy in front of this process ends TLS, and says so in X-Forwarded-Proto.
  provider.proxy = options.issuer.startsWith('https:');
  return provider;
}

function configuration(options: ProviderOptions): Configuration {
  const { profile, clients, keys, store, lifetimes } = options;
  return {
    adapter: store.adapter,
    clients: clients.map(clientMetadata),
    // The first that fits is the one that signs.
    jwks: { keys: [keys.signing, ...(keys.previous ? [keys.previous] : [])] },
    cookies: {
      keys: [keys.cookie],
      // Cookies ignore the port, so other servers on localhost get them and could set the same names.
      names: {
        session: `${profile.id}_session`,
        interaction: `${profile.id}_interaction`,
        resume: `${profile.id}_resume`,
      },
    },
    scopes: supportedScopes(profile),
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: { enabled: profile.hasApi, getResourceServerInfo },
      revocation: { enabled: profile.revokes, allowedPolicy: isOwnToken },
      introspection: { enabled: profile.introspects, allowedPolicy: isOwnToken },
    },
    // Revoking either token of a grant ends it whole, as at Google.
    revokeGrantPolicy: () => true,
    rotateRefreshToken: profile.rotatesRefreshTokens,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: lifetimes.accessTokenS,
      RefreshToken: lifetimes.refreshTokenS,
      AuthorizationCode: MINUTE_S,
      IdToken: 60 * MINUTE_S,
      Interaction: 60 * MINUTE_S,
      Session: SESSION_TTL_S,
      // A grant ends by revocation. Shorter than the tokens, it would end them before their time.
      Grant: 10 * 365 * DAY_S,
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, email: accountId, email_verified: true }),
    }),
    extraTokenClaims: authTimeOf,
    clientBasedCORS: () => false,
    renderError: (ctx, { error, error_description: detail }) =>
      problemPage(ctx, ctx.status, detail ? `${detail} (${error}).` : `${error}.`),
  };
}

/** Access tokens of the API are JWTs that it can check itself (RFC 9068). */
function getResourceServerInfo(_ctx: unknown, resource: string): ResourceServer {
  if (resource !== API_RESOURCE) throw new errors.InvalidTarget();
  return {
    scope: API_SCOPE,
    audience: API_AUDIENCE,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  };
}

/** Has tokens of the API say when their user signed in (RFC 9068, section 2.2.1). */
function authTimeOf({ oidc: { entities } }: KoaContextWithOIDC) {
  const { authTime } = entities.AuthorizationCode ?? entities.RefreshToken ?? {};
  return authTime === undefined ? undefined : { auth_time: authTime };
}

const isOwnToken = (
  _ctx: unknown,
  client: { readonly clientId: string },
  token: { readonly clientId?: string | undefined },
): boolean => token.clientId === client.clientId;
