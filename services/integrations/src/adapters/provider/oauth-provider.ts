import * as client from 'openid-client';
import type {
  CodeExchange,
  ConsentRequest,
  Grant,
  Log,
  OAuthProvider,
  RevocableToken,
  Tokens,
} from '../../application/ports.js';
import { ProviderError } from '../../application/provider-error.js';
import { classifyFailure } from './classify-failure.js';
import type { Guard } from './provider-breaker.js';
import type { ProviderSettings } from './provider-settings.js';
import { type CallNotes, recoveringFetch } from './recovering-fetch.js';
import { scopesOf } from './scope-mapping.js';
import { eventKeys, securityEventVerifier } from './security-event-verifier.js';
import { serverMetadata } from './server-metadata.js';

const SECOND_MS = 1_000;
const TIMEOUT_S = 10;
/** How far a provider's clock may be from ours: an id_token is hardly older than the answer it comes in. */
const CLOCK_TOLERANCE_S = 300;
/** To hang up on a slow provider is to lose the tokens it is about to give, and the old ones with them. */
const REFRESH_TIMEOUT_S = 25;
const ACCOUNT_CHARS_MAX = 320;
const ALREADY_GONE = new Set(['invalid_token', 'invalid_grant', 'unsupported_token_type']);

export interface OAuthProviderOptions {
  readonly settings: ProviderSettings;
  readonly redirectUri: string;
  /** Of refreshes. */
  readonly guard: Guard;
  /** Of codes, which users send: that theirs fail keeps nobody from refreshing. */
  readonly exchangeGuard: Guard;
  /** Of introspection: that it fails keeps nobody from refreshing. */
  readonly askingGuard: Guard;
  readonly nowMs: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** Seconds. Unless given: 25. */
  readonly refreshTimeoutS?: number;
}

/** A provider by OpenID Connect, with openid-client. The provider may be down when this is made. */
export function oauthProvider(options: OAuthProviderOptions): OAuthProvider {
  const { settings, guard, exchangeGuard, askingGuard, nowMs, log } = options;
  const { issuer, clientId } = settings;
  const isHttpAllowed = issuer.startsWith('http:');
  const timeoutS = TIMEOUT_S;
  const metadata = serverMetadata({ issuer, clientId, isHttpAllowed, timeoutS, nowMs, log });

  const call = async <T>(
    work: (config: client.Configuration) => Promise<T>,
    beforeSending?: () => void,
  ): Promise<T> => {
    const server = await metadata();
    beforeSending?.();
    const notes = newNotes();
    try {
      return await work(configuration(server, settings, notes));
    } catch (error) {
      throw classifyFailure(error, notes);
    }
  };

  return {
    redirectUri: options.redirectUri,
    separateGrants: settings.separateGrants,
    issuer: async () => (await metadata()).issuer,

    authorizationUrl: async (request) =>
      authorizationUrl(configuration(await metadata(), settings, newNotes()), request, options),

    exchange: async (request) =>
      exchangeGuard(
        async () => call(async (config) => exchanged(config, request, options)),
        request.userId,
      ),

    refresh: async (refreshToken, beforeSending) =>
      guard(async () =>
        call(async (config) => refreshed(config, refreshToken, options), beforeSending),
      ),

    securityEvent: securityEventOf(options),
    introspectionsPerS: settings.introspectionsPerS,

    async introspect(token) {
      const { introspection_endpoint: endpoint } = await metadata();
      if (settings.introspectionsPerS === undefined || endpoint === undefined) return 'unsupported';
      return askingGuard(async () => call(async (config) => introspected(config, token)));
    },

    // Past the breaker: it may stand open for its own reasons, and nobody waits for this call.
    async revoke(token) {
      const { revocation_endpoint: endpoint } = await metadata();
      if (settings.revocation === 'none' || endpoint === undefined) return 'unsupported';
      await call(async (config) => revoked(config, token)).catch(refuseUnlessGone);
      return 'revoked';
    },
  };
}

async function authorizationUrl(
  config: client.Configuration,
  { state, nonce, verifier }: ConsentRequest,
  { settings, redirectUri }: OAuthProviderOptions,
): Promise<string> {
  const { authorizationParams, extraScopes, scopes } = settings;
  const url = client.buildAuthorizationUrl(config, {
    ...authorizationParams,
    redirect_uri: redirectUri,
    scope: [...extraScopes, ...Object.values(scopes)].join(' '),
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}

async function refreshed(
  config: client.Configuration,
  refreshToken: string,
  { settings, nowMs, refreshTimeoutS = REFRESH_TIMEOUT_S }: OAuthProviderOptions,
): Promise<Tokens> {
  config.timeout = refreshTimeoutS;
  const askedAtMs = nowMs();
  const answer = await client.refreshTokenGrant(config, refreshToken);
  const scopes = answer.scope === undefined ? undefined : scopesOf(settings.scopes, answer.scope);
  return { ...tokensOf(answer, askedAtMs), scopes };
}

function securityEventOf({ settings, nowMs }: OAuthProviderOptions) {
  const { securityEvents, clientId, issuer: subjectIssuer } = settings;
  if (securityEvents === undefined) return undefined;
  const { issuer, jwksUri } = securityEvents;
  return securityEventVerifier({
    issuer,
    keys: eventKeys(jwksUri),
    clientId,
    subjectIssuer,
    nowMs,
  });
}

async function introspected(
  config: client.Configuration,
  { token, hint }: RevocableToken,
): Promise<'active' | 'inactive'> {
  const { active } = await client.tokenIntrospection(config, token, { token_type_hint: hint });
  return active ? 'active' : 'inactive';
}

const revoked = async (
  config: client.Configuration,
  { token, hint }: RevocableToken,
): Promise<void> => client.tokenRevocation(config, token, { token_type_hint: hint });

function refuseUnlessGone(error: unknown): void {
  if (!(error instanceof ProviderError) || !ALREADY_GONE.has(error.reason)) throw error;
}

const newNotes = (): CallNotes => ({ sent: false, tokens: {} });

/** One for each call: what the call brought back is noted beside it, whatever the library makes of it. */
function configuration(
  server: client.ServerMetadata,
  { clientId, clientSecret, issuer }: ProviderSettings,
  notes: CallNotes,
): client.Configuration {
  const methods = server.token_endpoint_auth_methods_supported;
  // RFC 8414, section 2: a provider that does not say takes Basic.
  const isPost =
    methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
  const authentication = isPost
    ? client.ClientSecretPost(clientSecret)
    : client.ClientSecretBasic(clientSecret);

  const skewed = { [client.clockTolerance]: CLOCK_TOLERANCE_S };
  const config = new client.Configuration(server, clientId, skewed, authentication);
  config.timeout = TIMEOUT_S;
  config[client.customFetch] = recoveringFetch(notes);
  if (issuer.startsWith('http:')) client.allowInsecureRequests(config);
  return config;
}

async function exchanged(
  config: client.Configuration,
  { code, verifier, nonce, redirectUri }: CodeExchange,
  { settings, nowMs }: OAuthProviderOptions,
): Promise<Grant> {
  const callback = new URL(redirectUri);
  callback.searchParams.set('code', code);
  // RFC 9207: whoever calls us has checked `iss`, if there was one. Each provider has a redirect URI
  // and a client of its own, so a code of another one is refused in any case.
  callback.searchParams.set('iss', config.serverMetadata().issuer);

  const askedAtMs = nowMs();
  const answer = await client.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = answer.claims();
  if (claims === undefined) throw new TypeError('The library let an answer without id_token pass.');
  return {
    ...tokensOf(answer, askedAtMs),
    scopes: scopesOf(settings.scopes, answer.scope),
    account: accountIn(claims).slice(0, ACCOUNT_CHARS_MAX),
    accountId: storable(claims.sub),
  };
}

/** What a person would recognise the account by. */
function accountIn({ sub, email, preferred_username: username }: client.IDToken): string {
  const names = [email, username].filter((claim) => typeof claim === 'string').map(storable);
  return names.find((name) => name !== '') ?? storable(sub);
}

/** Postgres takes no NUL, and by then the code is used up. */
const storable = (text: string): string => text.replaceAll('\0', '');

/** Counted from before the request, so that we never believe in a token longer than the provider does. */
function tokensOf(
  { access_token, refresh_token, expires_in = 0 }: client.TokenEndpointResponse,
  askedAtMs: number,
): Omit<Tokens, 'scopes'> {
  const expiresAt = new Date(askedAtMs + expires_in * SECOND_MS);
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt };
}
