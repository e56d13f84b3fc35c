import { idTokenAlgorithms } from '@junction/service/callers';
import * as client from 'openid-client';
import type { OAuthProvider, RevocableToken } from '../../application/oauth-provider.js';
import type { Log } from '../../application/ports.js';
import { ProviderError } from '../../application/provider-error.js';
import { type Client, clientName } from '../../domain/connection/events.js';
import { acceptedClient, refusedClient } from './accepted-client.js';
import { authorizationUrlOf } from './authorization-url.js';
import { classifyFailure } from './classify-failure.js';
import {
  type ConfigurationOptions,
  isIssuer,
  newNotes,
  TIMEOUT_S,
} from './client-configuration.js';
import type { KeysAt } from './keys-by-address.js';
import type { ProviderGuards } from './provider-breaker.js';
import { type Call, type Metadata, providerCall, succeedWith } from './provider-call.js';
import { revocationMeaning } from './revocation-answers.js';
import { securityEventVerifier } from './security-event-verifier.js';
import { type OptionalEndpoint, serverMetadata, withoutEndpoint } from './server-metadata.js';
import { exchangeCode, type GrantOptions, refreshTokens } from './token-grants.js';

/** Milliseconds for which keys that cannot be had are asked for, before a code goes out. */
const KEYS_WITHIN_MS = 5_000;
/** Message by which operators learn from the log that a provider does not accept our client. */
export const CLIENT_REFUSED = 'the provider and our settings for it do not fit';

export interface OAuthProviderOptions extends GrantOptions, ConfigurationOptions, ProviderGuards {
  readonly client: Client;
  readonly redirectUri: string;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** `keysByAddress`. */
  readonly keysAt: KeysAt;
}

/** Creates a provider by OpenID Connect, with openid-client. The provider may be down meanwhile. */
export function oauthProvider(options: OAuthProviderOptions): OAuthProvider {
  const { settings, guard } = options;
  const metadata = metadataOf(options);

  // A refusal of our client is logged here, once for all whom it is about.
  const told = refusedClient((reason) => {
    options.log.error({ client: clientName(options.client), reason }, CLIENT_REFUSED);
  });
  const made = providerCall(options, metadata);
  const call: Call = async (...work) => told(async () => made(...work));
  const accepted = acceptedClient();
  const granted: Call = async (...work) => told(async () => accepted(async () => made(...work)));

  return {
    client: options.client,
    redirectUri: options.redirectUri,
    separateGrants: settings.separateGrants,
    isIssuer: async (iss) => {
      const { issuer } = await metadata();
      return iss === undefined || isIssuer(issuer, iss);
    },

    authorizationUrl: authorizationUrlOf(options, metadata, call),

    refresh: async (refreshToken, { connectionId, beforeSending }) =>
      guard(
        async () =>
          granted(
            async (config, notes) => refreshTokens(config, notes, refreshToken, options),
            beforeSending,
          ),
        connectionId,
      ),

    securityEvent: securityEventOf(options),
    ...codes(options, metadata, granted),
    ...endings(options, metadata, call),
  };
}

/** Exchanges codes, and has the keys at hand by which their id_tokens are checked. */
function codes(
  { keysAt, exchangeGuard, ...options }: OAuthProviderOptions,
  metadata: Metadata,
  call: Call,
): Pick<OAuthProvider, 'ready' | 'exchange'> {
  const keys = async () => keysAt((await metadata()).jwks_uri ?? '');
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
      exchangeGuard(async () => {
        const published = await keys();
        return call(async (config, notes) =>
          exchangeCode(config, notes, request, options, published),
        );
      }, request.userId),
  };
}

/** Asks whether tokens still stand, and ends them. */
function endings(
  options: OAuthProviderOptions,
  metadata: Metadata,
  call: Call,
): Pick<OAuthProvider, 'introspectionsPerS' | 'introspect' | 'revoke'> {
  const { settings, askingGuard } = options;
  const { introspectionsPerS, revocation } = settings;
  const introspect: OAuthProvider['introspect'] = async (token) => {
    const { introspection_endpoint: endpoint } = await metadata();
    if (introspectionsPerS === undefined || endpoint === undefined) return 'unsupported';
    return askingGuard(async () => call(async (config) => introspected(config, token)));
  };
  const hasRevoked = async (token: RevocableToken): Promise<boolean> =>
    call(async (config) => revoked(config, token)).then(() => true, hasEnded);
  return {
    introspectionsPerS,
    introspect,

    // Revocations pass by the breaker: it may be open for reasons of other calls, and no user waits for a revocation.
    async revoke({ accessToken, ...token }) {
      if (revocation === 'none') return 'unsupported';
      const { revocation_endpoint: endpoint } = await metadata();
      if (endpoint === undefined) throw withoutEndpoint('revocation_endpoint');
      if (await hasRevoked(token)) return 'revoked';
      if (accessToken === undefined) return 'unsupported';
      const other = { token: accessToken, hint: 'access_token' } as const;
      // A server may end the refresh token with its access token (RFC 7009, section 2.1), and need not.
      const mayHaveEnded = await hasRevoked(other);
      return mayHaveEnded && (await introspect(token)) === 'inactive' ? 'revoked' : 'unsupported';
    },
  };
}

function metadataOf({ settings, nowMs, log, fetch }: OAuthProviderOptions): Metadata {
  const { issuer, revocation, introspectionsPerS, pushesAuthorizations } = settings;
  const uses: readonly OptionalEndpoint[] = [
    ...(revocation === 'none' ? [] : (['revocation_endpoint'] as const)),
    ...(introspectionsPerS === undefined ? [] : (['introspection_endpoint'] as const)),
    ...(pushesAuthorizations ? (['pushed_authorization_request_endpoint'] as const) : []),
  ];
  const isHttpAllowed = issuer.startsWith('http:');
  const algorithms = idTokenAlgorithms(settings);
  const asked = { issuer, credentials: settings, algorithms, uses, isHttpAllowed };
  return serverMetadata({ ...asked, timeoutS: TIMEOUT_S, nowMs, log, ...(fetch && { fetch }) });
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

async function revoked(
  config: client.Configuration,
  { token, hint }: RevocableToken,
): Promise<void> {
  succeedWith(config, 200);
  await client.tokenRevocation(config, token, { token_type_hint: hint });
}

/** Tells of a token whose revocation was refused whether it has ended all the same; otherwise the refusal is thrown. */
function hasEnded(error: unknown): boolean {
  if (!(error instanceof ProviderError)) throw error;
  switch (revocationMeaning(error)) {
    case 'revoked':
      return true;
    case 'unsupported':
      return false;
    case 'no_endpoint': {
      const reason = 'no_revocation_endpoint';
      throw new ProviderError({ failure: 'rejected', reason, sent: true });
    }
    case 'again':
      throw error;
  }
}
