import { type Fetch, fetchJson } from '@junction/async';
import { z } from 'zod';
import { type PublishedKeys, publishedKeys } from '../../outbound/published-keys.js';
import type { Logger } from '../../process/logging/logger.js';

/** Interval at which an issuer's keys are read again, so that a key that the issuer withdraws ends here. */
const REFRESH_MS = 5 * 60_000;

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly log: Pick<Logger, 'warn'>;
  readonly nowMs?: () => number;
  /** Replacement for Node's own `fetch`. */
  readonly fetch?: Fetch;
}

/**
 * Returns the keys of an issuer, found by OpenID Connect Discovery 1.0. The keys are read again every five minutes
 * beside the requests, and at once for a new `kid`. While the issuer is down the last keys are kept, so that only
 * tokens of unknown keys have to wait.
 */
export const issuerKeys = ({
  issuer,
  log,
  fetch: send,
  ...clock
}: IssuerKeysOptions): PublishedKeys =>
  publishedKeys({
    ...clock,
    url: async () => discoveredKeys(issuer, send),
    freshMsMax: REFRESH_MS,
    fetch: send,
    onStale: (err) =>
      log.warn({ err, issuer }, 'the keys of a trusted issuer were not read; the last ones serve'),
  });

async function discoveredKeys(issuer: string, send: Fetch | undefined): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { ok, status, body } = await fetchJson(url, {}, send);
  if (!ok) throw new Error(`${url} answered ${status}.`);
  const found = metadata.parse(body);
  // OpenID Connect Discovery 1.0, section 4.3: a server may not speak for another one.
  if (found.issuer !== issuer) throw new Error(`${url} describes another issuer.`);
  if (issuer.startsWith('https:') && !found.jwks_uri.startsWith('https:')) {
    throw new Error(`${url} names keys without TLS.`);
  }
  return found.jwks_uri;
}
