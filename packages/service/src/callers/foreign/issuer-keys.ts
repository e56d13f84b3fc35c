import { errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { boundedFetch } from '../../outbound/bounded-fetch.js';
import { KeysUnavailable, publishedKeys } from '../../outbound/published-keys.js';
import type { Logger } from '../../process/logging/logger.js';

const TIMEOUT_MS = 3_000;
/** Interval at which an issuer's keys are read again, so that a key that the issuer withdraws ends here. */
const REFRESH_MS = 5 * 60_000;

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly log: Logger;
  readonly nowMs?: () => number;
  /** Replacement for Node's own `fetch`. */
  readonly fetch?: typeof fetch;
}

/**
 * Returns the keys of an issuer, found by OpenID Connect Discovery 1.0. The keys are read again every five minutes
 * beside the requests, and at once for a new `kid`. While the issuer is down the last keys are kept, so that only
 * tokens of unknown keys have to wait.
 */
export function issuerKeys({
  issuer,
  log,
  fetch: send,
  ...clock
}: IssuerKeysOptions): JWTVerifyGetKey {
  const published = publishedKeys({
    ...clock,
    url: async () => discoveredKeys(issuer, boundedFetch(send)),
    freshMsMax: REFRESH_MS,
    fetch: send,
    onStale: (err) =>
      log.warn({ err, issuer }, 'the keys of a trusted issuer were not read; the last ones serve'),
  });
  return async (header, token) => {
    const key = await published
      .with(async ({ find }) => {
        try {
          return await find(header, token);
        } catch (error) {
          if (error instanceof errors.JWKSNoMatchingKey) return undefined;
          throw error;
        }
      })
      .catch((error: unknown) => {
        // Anybody may send tokens of keys that never were: for a few seconds these are refused as such.
        if (error instanceof KeysUnavailable && error.reason === 'just_fetched') return undefined;
        throw error;
      });
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  };
}

async function discoveredKeys(issuer: string, send: typeof fetch): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await send(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
  const found = metadata.parse(await response.json());
  // OpenID Connect Discovery 1.0, section 4.3: a server may not speak for another one.
  if (found.issuer !== issuer) throw new Error(`${url} describes another issuer.`);
  if (issuer.startsWith('https:') && !found.jwks_uri.startsWith('https:')) {
    throw new Error(`${url} names keys without TLS.`);
  }
  return found.jwks_uri;
}
