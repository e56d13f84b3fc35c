import { allowInsecureRequests, customFetch, discovery, type ServerMetadata } from 'openid-client';
import { ProviderError } from '../../application/provider-error.js';
import { classifyFailure } from './classify-failure.js';
import { type CallNotes, salvagingFetch } from './salvaging-fetch.js';

const FRESH_FOR_MS = 60 * 60_000;
/** After a failure the provider is asked again no sooner than that, as long as an older copy serves. */
const RETRY_AFTER_MS = 60_000;

export interface DiscoveryOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly isHttpAllowed: boolean;
  readonly timeoutS: number;
  readonly nowMs: () => number;
}

/**
 * The provider's own description (OpenID Connect Discovery 1.0), asked for at the first need. From then
 * on nobody waits for it: a copy that has grown old serves while a new one is fetched, and goes on
 * serving when the provider is down. Without any copy that is a ProviderError.
 */
export function serverMetadata(options: DiscoveryOptions): () => Promise<ServerMetadata> {
  let known: ServerMetadata | undefined;
  let freshUntilMs = 0;
  let underWay: Promise<ServerMetadata> | undefined;

  const load = async (): Promise<ServerMetadata> => {
    try {
      known = await discover(options);
      freshUntilMs = options.nowMs() + FRESH_FOR_MS;
      return known;
    } catch (error) {
      freshUntilMs = options.nowMs() + RETRY_AFTER_MS;
      throw error;
    } finally {
      underWay = undefined;
    }
  };

  return async () => {
    if (known === undefined) {
      underWay ??= load();
      return underWay;
    }
    if (options.nowMs() >= freshUntilMs && underWay === undefined) {
      underWay = load();
      underWay.catch(ignore);
    }
    return known;
  };
}

/** The older copy serves on. */
const ignore = (): void => {};

async function discover(options: DiscoveryOptions): Promise<ServerMetadata> {
  const { issuer, clientId, isHttpAllowed, timeoutS: timeout } = options;
  const notes: CallNotes = { sent: false, tokens: {} };
  try {
    const configuration = await discovery(new URL(issuer), clientId, undefined, undefined, {
      timeout,
      execute: isHttpAllowed ? [allowInsecureRequests] : [],
      [customFetch]: salvagingFetch(notes),
    });
    return requireS256(configuration.serverMetadata());
  } catch (error) {
    // Nothing that could be used up has left.
    throw classifyFailure(error, { ...notes, sent: false });
  }
}

/**
 * A provider that says how it does PKCE (RFC 8414, section 2) and does not name S256 would leave codes
 * unprotected: it is not used. One that says nothing is sent S256 all the same.
 */
export function requireS256(server: ServerMetadata): ServerMetadata {
  const methods = server.code_challenge_methods_supported;
  if (methods === undefined || methods.includes('S256')) return server;
  throw new ProviderError({ failure: 'misconfigured', reason: 'no_pkce_s256', sent: false });
}
