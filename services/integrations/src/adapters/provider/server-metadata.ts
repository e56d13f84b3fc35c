import type { Fetch } from '@junction/async';
import { withoutNulls } from '@junction/service/outbound';
import {
  allowInsecureRequests,
  ClientError,
  customFetch,
  discovery,
  type ServerMetadata,
} from 'openid-client';
import type { Log } from '../../application/ports.js';
import { ProviderError } from '../../application/provider-error.js';
import { classifyFailure } from './classify-failure.js';
import { authMethodFor, type ClientCredentials, NoAuthMethod } from './client-authentication.js';
import { type CallNotes, recoveringFetch } from './recovering-fetch.js';

const FRESH_FOR_MS = 60 * 60_000;
/** Shortest time between a failure and the next request, as long as an older copy serves. */
const RETRY_AFTER_MS = 60_000;

/** Endpoints without which no user can connect (OpenID Connect Discovery 1.0, section 3). */
const REQUIRED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

export type OptionalEndpoint =
  | 'revocation_endpoint'
  | 'introspection_endpoint'
  | 'pushed_authorization_request_endpoint';

export interface DiscoveryOptions {
  readonly issuer: string;
  /** Optional endpoints that this provider must have. A description that lacks one of them serves for a minute. */
  readonly uses: readonly OptionalEndpoint[];
  /** Credentials of our client, by which it must be able to prove itself. */
  readonly credentials: ClientCredentials;
  /** Algorithms (JWA) of id_tokens that can be checked. */
  readonly algorithms: readonly string[];
  readonly isHttpAllowed: boolean;
  readonly timeoutS: number;
  readonly nowMs: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** Replacement for Node's own `fetch`. */
  readonly fetch?: Fetch;
}

/**
 * Returns a function for the provider's own description (OpenID Connect Discovery 1.0), fetched at the first need.
 * After that no caller waits for it: an old copy serves while a new one is fetched, and goes on serving when the
 * provider is down or its description lacks an endpoint that the copy has. Without any copy the call fails with
 * ProviderError. The reason of a failure is logged, and again only when the reason changes.
 */
export function serverMetadata(options: DiscoveryOptions): () => Promise<ServerMetadata> {
  let known: ServerMetadata | undefined;
  let freshUntilMs = 0;
  let underWay: Promise<ServerMetadata> | undefined;
  let saidReason: string | undefined;

  const say = (error: ProviderError): void => {
    const { reason } = error;
    if (reason === saidReason) return;
    saidReason = reason;
    const fields = {
      issuer: options.issuer,
      reason,
      ...(error instanceof IssuerMismatch && { found_issuer: error.found }),
      ...(error instanceof NoAuthMethod && { listed_auth_methods: error.listed }),
    };
    const until = known ? 'what is known of it serves on' : 'until it can, nothing works with it';
    options.log.warn(fields, `a provider's description of itself could not be taken: ${until}`);
  };

  /** Takes it, unless an endpoint is gone that was there: that may be an answer of the moment. */
  const take = (described: ServerMetadata): ServerMetadata => {
    const absent = options.uses.find((name) => described[name] === undefined);
    if (absent === undefined || known?.[absent] === undefined) known = described;
    if (absent !== undefined) throw withoutEndpoint(absent);
    return known;
  };

  const load = async (): Promise<ServerMetadata> => {
    try {
      const taken = take(await discover(options));
      freshUntilMs = options.nowMs() + FRESH_FOR_MS;
      saidReason = undefined;
      return taken;
    } catch (error) {
      freshUntilMs = options.nowMs() + RETRY_AFTER_MS;
      say(error as ProviderError);
      if (known === undefined) throw error;
      return known;
    } finally {
      underWay = undefined;
    }
  };

  return async () => {
    if (known === undefined) {
      underWay ??= load();
      return underWay;
    }
    if (options.nowMs() >= freshUntilMs) underWay ??= load();
    return known;
  };
}

/** Fetches the provider's description of itself now, to find out whether it can be had. Fails with ProviderError. */
export const describedProvider = async (
  options: Pick<DiscoveryOptions, 'issuer' | 'credentials' | 'algorithms' | 'timeoutS' | 'fetch'>,
): Promise<ServerMetadata> =>
  discover({ ...options, isHttpAllowed: options.issuer.startsWith('http:') });

/** Fetches and checks the description. Fails with ProviderError. */
async function discover(
  options: Omit<DiscoveryOptions, 'uses' | 'nowMs' | 'log'>,
): Promise<ServerMetadata> {
  const { issuer, credentials, isHttpAllowed, timeoutS: timeout } = options;
  const notes: CallNotes = { sent: false, tokens: {} };
  try {
    const { clientId } = credentials;
    const configuration = await discovery(new URL(issuer), clientId, undefined, undefined, {
      timeout,
      execute: isHttpAllowed ? [allowInsecureRequests] : [],
      [customFetch]: recoveringFetch(notes, options.fetch),
    });
    const server = requireUsable(withoutNulls(configuration.serverMetadata()), options);
    authMethodFor(credentials, server.token_endpoint_auth_methods_supported);
    return server;
  } catch (error) {
    const found = otherIssuerIn(error);
    if (found !== undefined) throw new IssuerMismatch(found);
    // The request for a description uses nothing up, so it counts as not sent.
    throw classifyFailure(error, { ...notes, sent: false });
  }
}

/**
 * Error of a document that names another issuer than the one whose document was requested (OpenID Connect Discovery
 * 1.0, section 4.3).
 */
class IssuerMismatch extends ProviderError {
  constructor(readonly found: string) {
    super({ failure: 'misconfigured', reason: 'issuer_mismatch', sent: false });
  }
}

/** Returns the issuer that the document names. The library puts what it compared into the cause of its error. */
function otherIssuerIn(error: unknown): string | undefined {
  if (!(error instanceof ClientError) || error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    return undefined;
  }
  const { attribute, body } = (error.cause ?? {}) as Compared;
  const found = attribute === 'issuer' ? body?.issuer : undefined;
  return typeof found === 'string' ? found : undefined;
}

interface Compared {
  readonly attribute?: string;
  readonly body?: { readonly issuer?: unknown };
}

/** Throws ProviderError for a description that no user could connect with. */
export function requireUsable(
  server: ServerMetadata,
  { algorithms, isHttpAllowed }: Pick<DiscoveryOptions, 'algorithms' | 'isHttpAllowed'>,
): ServerMetadata {
  requireS256(server);
  requireAlgorithm(server, algorithms);
  for (const name of REQUIRED) {
    if (!isEndpoint(server[name], isHttpAllowed)) throw withoutEndpoint(name);
  }
  return server;
}

/**
 * Refuses a provider that lists its PKCE methods (RFC 8414, section 2) without S256: codes would be unprotected. A
 * provider that lists none gets S256 all the same.
 */
function requireS256({ code_challenge_methods_supported: methods }: ServerMetadata): void {
  if (methods === undefined || methods.includes('S256')) return;
  throw new ProviderError({ failure: 'misconfigured', reason: 'no_pkce_s256', sent: false });
}

/** Refuses a provider none of whose id_tokens could be checked, before a code is used up for one. */
function requireAlgorithm(
  { id_token_signing_alg_values_supported: promised }: ServerMetadata,
  algorithms: readonly string[],
): void {
  if (!Array.isArray(promised) || promised.some((one) => algorithms.includes(one))) return;
  const reason = 'unsupported_id_token_alg';
  throw new ProviderError({ failure: 'misconfigured', reason, sent: false });
}

const isEndpoint = (url: unknown, isHttpAllowed: boolean): boolean =>
  typeof url === 'string' &&
  URL.canParse(url) &&
  (url.startsWith('https:') || (isHttpAllowed && url.startsWith('http:')));

/**
 * Returns the error for a description that lacks an endpoint it should have: the next description may have it again.
 */
export const withoutEndpoint = (name: (typeof REQUIRED)[number] | OptionalEndpoint) =>
  new ProviderError({ failure: 'unavailable', reason: `no_${name}`, sent: false });
