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
import { type CallNotes, recoveringFetch } from './recovering-fetch.js';

const FRESH_FOR_MS = 60 * 60_000;
/** After a failure the provider is asked again no sooner than that, as long as an older copy serves. */
const RETRY_AFTER_MS = 60_000;

export interface DiscoveryOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly isHttpAllowed: boolean;
  readonly timeoutS: number;
  readonly nowMs: () => number;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * The provider's own description (OpenID Connect Discovery 1.0), asked for at the first need. From then
 * on nobody waits for it: a copy that has grown old serves while a new one is fetched, and goes on
 * serving when the provider is down. Without any copy that is a ProviderError. Why one could not be had is
 * logged, again only when the reason is another one.
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
    const found_issuer = error instanceof IssuerMismatch ? error.found : undefined;
    const fields = { issuer: options.issuer, reason, ...(found_issuer && { found_issuer }) };
    const until = known ? 'its older description serves on' : 'until it can, nothing works with it';
    options.log.warn(fields, `a provider's description of itself could not be taken: ${until}`);
  };

  const load = async (): Promise<ServerMetadata> => {
    try {
      known = await discover(options);
      freshUntilMs = options.nowMs() + FRESH_FOR_MS;
      saidReason = undefined;
      return known;
    } catch (error) {
      freshUntilMs = options.nowMs() + RETRY_AFTER_MS;
      say(error as ProviderError);
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

/** The older copy serves on, and the log says why. */
const ignore = (): void => {};

/** Fails with ProviderError. */
async function discover(options: DiscoveryOptions): Promise<ServerMetadata> {
  const { issuer, clientId, isHttpAllowed, timeoutS: timeout } = options;
  const notes: CallNotes = { sent: false, tokens: {} };
  try {
    const configuration = await discovery(new URL(issuer), clientId, undefined, undefined, {
      timeout,
      execute: isHttpAllowed ? [allowInsecureRequests] : [],
      [customFetch]: recoveringFetch(notes),
    });
    return requireS256(configuration.serverMetadata());
  } catch (error) {
    const found = otherIssuerIn(error);
    if (found !== undefined) throw new IssuerMismatch(found);
    // Nothing that could be used up has left.
    throw classifyFailure(error, { ...notes, sent: false });
  }
}

/** Its document names another issuer than the one it was asked for at (OpenID Connect Discovery 1.0, section 4.3). */
class IssuerMismatch extends ProviderError {
  constructor(readonly found: string) {
    super({ failure: 'misconfigured', reason: 'issuer_mismatch', sent: false });
  }
}

/** The library says what it compared in the cause of its error. */
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

/**
 * A provider that says how it does PKCE (RFC 8414, section 2) and does not name S256 would leave codes
 * unprotected: it is not used. One that says nothing is sent S256 all the same.
 */
export function requireS256(server: ServerMetadata): ServerMetadata {
  const methods = server.code_challenge_methods_supported;
  if (methods === undefined || methods.includes('S256')) return server;
  throw new ProviderError({ failure: 'misconfigured', reason: 'no_pkce_s256', sent: false });
}
