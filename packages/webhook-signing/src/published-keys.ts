import { isPublicKey } from './key-pair.js';
import { rawBodyOfFetch } from './raw-body.js';

const SECOND_MS = 1_000;
/** The service asks nobody to hold its keys for longer, and publishes a new one a day before it signs. */
const FRESH_MS = 300 * SECOND_MS;
/** Time for which keys still count when they cannot be read again. */
const KEPT_MS = 24 * 3_600 * SECOND_MS;
const DEADLINE_MS = 10 * SECOND_MS;
const BYTES_MAX = 64 * 1_024;

/**
 * Returns a function for `verify` and the handlers that reads the public keys of a service from its
 * /.well-known/webhook-keys.json: when they are first needed, and again when they are five minutes old. While the
 * service cannot be read, keys that were read in the last day still count.
 * @returns a function that rejects when there are no keys
 */
export function publishedKeys(
  url: string | URL,
  nowMs: () => number = Date.now,
): () => Promise<readonly string[]> {
  let known: { readonly keys: readonly string[]; readonly readAtMs: number } | undefined;
  let reading: Promise<readonly string[]> | undefined;
  const ageMs = () => (known === undefined ? Infinity : nowMs() - known.readAtMs);

  const read = async (): Promise<readonly string[]> => {
    try {
      const keys = await keysAt(url);
      known = { keys, readAtMs: nowMs() };
      return keys;
    } catch (error) {
      if (known !== undefined && ageMs() < KEPT_MS) return known.keys;
      throw error;
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    if (known !== undefined && ageMs() < FRESH_MS) return known.keys;
    return (reading ??= read());
  };
}

async function keysAt(url: string | URL): Promise<readonly string[]> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  // The receiver trusts this address and no other.
  const response = await fetch(url, { signal, redirect: 'manual' });
  if (!response.ok) throw new Error(`${String(url)} answered ${response.status}, not keys.`);
  const { keys } = JSON.parse((await rawBodyOfFetch(response, BYTES_MAX)).toString()) as {
    keys?: unknown;
  };
  const found = Array.isArray(keys) ? keys.map(publicKeyIn).filter(isPublicKey) : [];
  if (found.length > 0) return found;
  throw new Error(`${String(url)} has no public key in it: keys[].whpk is missing.`);
}

const publicKeyIn = (jwk: { readonly whpk?: unknown } | null): string => String(jwk?.whpk);
