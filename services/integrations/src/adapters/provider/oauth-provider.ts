import * as client from 'openid-client';
import type {
  ConsentRequest,
  OAuthProvider,
  RevocableToken,
} from '../../application/oauth-provider.js';
import type { Log } from '../../application/ports.js';
import { ProviderError } from '../../application/provider-error.js';
import type { Client } from '../../domain/connection/events.js';
import { acceptedClient } from './accepted-client.js';
import { classifyFailure } from './classify-failure.js';
import {
  type ConfigurationOptions,
  configuration,
  isIssuer,
  newNotes,
  TIMEOUT_S,
} from './client-configuration.js';
import { idTokenAlgorithms } from './id-token.js';
import type { KeysAt } from './keys-by-address.js';
import type { ProviderGuards } from './provider-breaker.js';
import type { CallNotes } from './recovering-fetch.js';
import { securityEventVerifier } from './security-event-verifier.js';
import { type OptionalEndpoint, serverMetadata, withoutEndpoint } from './server-metadata.js';
import { exchangeCode, type GrantOptions, refreshTokens } from './token-grants.js';

/** Milliseconds for which keys that cannot be had are asked for, before a code goes out. */
const KEYS_WITHIN_MS = 5_000;
const ALREADY_GONE = new Set(['invalid_grant', 'unsupported_token_type']);

export interface OAuthProviderOptions extends GrantOptions, ConfigurationOptions, ProviderGuards {
  readonly client: Client;
  readonly redirectUri: string;
  readonly log: Pick<Log, 'warn'>;
  /** `keysByAddress`. */
  readonly keysAt: KeysAt;
}

/** Creates a provider by OpenID Connect, with openid-client. The provider may be down meanwhile. */
export function oauthProvider(options: OAuthProviderOptions): OAuthProvider {
  const { settings, guard } = options;
  const metadata = metadataOf(options);

  const call = calling(options, metadata);
  const watched = acceptedClient();

  return {
    client: options.client,
    redirectUri: options.redirectUri,
    separateGrants: settings.separateGrants,
    isIssuer: async (iss) => {
      const { issuer } = await metadata();
      return iss === undefined || isIssuer(issuer, iss);
    },

    authorizationUrl: async (request) =>
      authorizationUrl(
        await configuration(await metadata(), options, newNotes()),
        request,
        options,
      ),

    refresh: async (refreshToken, { connectionId, beforeSending }) =>
      guard(
        async () =>
          watched(async () =>
            call(
              async (config, notes) => refreshTokens(config, notes, refreshToken, options),
              beforeSending,
            ),
          ),
        connectionId,
      ),

    securityEvent: securityEventOf(options),
    ...codes(options, metadata, async (work) => watched(async () => call(work))),
    ...endings(options, metadata, call),
  };
}

type Metadata = () => Promise<client.ServerMetadata>;

/** Makes a call with a configuration of its own, and of what it throws a ProviderError. */
const calling =
  (options: OAuthProviderOptions, metadata: Metadata) =>
  async <T>(
    work: (config: client.Configuration, notes: CallNotes) => Promise<T>,
    beforeSending?: () => void,
  ): Promise<T> => {
    const notes = newNotes();
    const inOurWords = (error: unknown): never => {
      throw classifyFailure(error, notes);
    };
    const config = await configuration(await metadata(), options, notes).catch(inOurWords);
    beforeSending?.();
    return work(config, notes).catch(inOurWords);
  };

/** Exchanges codes, and has the keys at hand by which their id_tokens are checked. */
function codes(
  options: OAuthProviderOptions,
  metadata: Metadata,
  call: ReturnType<typeof calling>,
): Pick<OAuthProvider, 'ready' | 'exchange'> {
  const keys = async () => options.keysAt((await metadata()).jwks_uri ?? '');
  return {
    async ready() {
      const published = await keys();
      await published
        .with(async () => true, KEYS_WITHIN_MS)
        .catch((error: unknown) => {
          throw classifyFailure(error, newNotes());
        });
    },

    exchange: async (request) =>
      options.exchangeGuard(async () => {
        const published = await keys();
        return call(async (config, notes) =>
          exchangeCode(config, notes, request, options, published),
        );
      }, request.userId),
  };
}

/** Asks whether tokens still stand, and ends them. */
const endings = (
  { settings, askingGuard }: OAuthProviderOptions,
  metadata: Metadata,
  call: ReturnType<typeof calling>,
): Pick<OAuthProvider, 'introspectionsPerS' | 'introspect' | 'revoke'> => ({
  introspectionsPerS: settings.introspectionsPerS,

  async introspect(token) {
    const { introspection_endpoint: endpoint } = await metadata();
    if (settings.introspectionsPerS === undefined || endpoint === undefined) return 'unsupported';
    return askingGuard(async () => call(async (config) => introspected(config, token)));
  },

  // Revocations pass by the breaker: it may be open for reasons of other calls, and no user waits for a revocation.
  async revoke(token) {
    if (settings.revocation === 'none') return 'unsupported';
    const { revocation_endpoint: endpoint } = await metadata();
    if (endpoint === undefined) throw withoutEndpoint('revocation_endpoint');
    await call(async (config) => revoked(config, token)).catch(refuseUnlessGone);
    return 'revoked';
  },
});

function metadataOf({ settings, nowMs, log, fetch }: OAuthProviderOptions): Metadata {
  const { issuer, clientId, revocation, introspectionsPerS } = settings;
  const uses: readonly OptionalEndpoint[] = [
    ...(revocation === 'none' ? [] : (['revocation_endpoint'] as const)),
    ...(introspectionsPerS === undefined ? [] : (['introspection_endpoint'] as const)),
  ];
  const isHttpAllowed = issuer.startsWith('http:');
  const algorithms = idTokenAlgorithms(settings);
  const asked = { issuer, clientId, algorithms, uses, isHttpAllowed, timeoutS: TIMEOUT_S };
  return serverMetadata({ ...asked, nowMs, log, ...(fetch && { fetch }) });
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

function securityEventOf({ settings, nowMs, keysAt }: OAuthProviderOptions) {
  const { securityEvents, clientId, issuer: subjectIssuer } = settings;
  if (securityEvents === undefined) return undefined;
  const { issuer, jwksUri } = securityEvents;
  return securityEventVerifier({
    issuer,
    keys: keysAt(jwksUri),
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
