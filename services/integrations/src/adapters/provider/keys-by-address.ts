import type { Fetch } from '@junction/async';
import { type PublishedKeys, publishedKeys } from '@junction/service/outbound';
import type { Log } from '../../application/ports.js';

export type KeysAt = (jwksUri: string) => PublishedKeys;

/** Returns a function for the keys at an address, which are kept once for all clients of their issuer. */
export function keysByAddress({
  log,
  fetch,
  nowMs,
}: {
  readonly log: Pick<Log, 'warn'>;
  readonly fetch?: Fetch | undefined;
  readonly nowMs?: () => number;
}): KeysAt {
  const known = new Map<string, PublishedKeys>();
  return (jwksUri) => {
    const onStale = ({ reason }: { readonly reason: string }) =>
      log.warn(
        { jwks_uri: jwksUri, reason },
        "a provider's keys were not read; the last ones serve",
      );
    const keys =
      known.get(jwksUri) ??
      publishedKeys({ url: async () => jwksUri, onStale, fetch, ...(nowMs && { nowMs }) });
    known.set(jwksUri, keys);
    return keys;
  };
}
