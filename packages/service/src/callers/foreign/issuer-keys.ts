import type { JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Logger } from '../../process/logging/logger.js';
import { type RemoteKeys, remoteKeys } from '../token-verifier.js';

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
  nowMs = Date.now,
  fetch: send = fetch,
}: IssuerKeysOptions): JWTVerifyGetKey {
  let known: { readonly keys: RemoteKeys; readonly jwksUri: string } | undefined;
  let readAtMs = -Infinity;
  let reading: Promise<RemoteKeys> | undefined;

  const read = async (): Promise<RemoteKeys> => {
    const jwksUri = await discoveredKeys(issuer, send);
    // A set of its own for a new address alone, because a set keeps its keys when reading fails.
    const keys = known?.jwksUri === jwksUri ? known.keys : remoteKeys(jwksUri, Infinity, send);
    await keys.reload();
    known = { keys, jwksUri };
    return keys;
  };

  const refresh = async (): Promise<RemoteKeys> => {
    readAtMs = nowMs();
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  return async (header, token) => {
    if (known === undefined) return (await refresh())(header, token);
    if (nowMs() - readAtMs >= REFRESH_MS) {
      refresh().catch((err: unknown) => {
        log.warn(
          { err, issuer },
          'the keys of a trusted issuer were not read; the last ones serve',
        );
      });
    }
    return known.keys(header, token);
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
