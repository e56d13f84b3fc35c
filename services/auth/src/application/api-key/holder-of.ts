import { timingSafeEqual } from 'node:crypto';
import { keyIdOf } from '@junction/contracts';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { StoredApiKey } from './ports.js';

/** Silence of a trusted issuer after which the API keys of its users are refused. */
const SILENCE_MS = 3_600_000;

export interface KeyHolder extends Pick<StoredApiKey, 'userId' | 'keyId' | 'scopes'> {
  /** Which of the key's secrets was shown. */
  readonly secretVersion: number;
  /** When that stops counting, unless a trusted issuer answers until then; undefined: it does not by itself. */
  readonly validUntil: Date | undefined;
}

/**
 * Returns the owner of an API key; undefined when the key is malformed, unknown, expired or revoked, or when its owner
 * is of an issuer that is not trusted any more, or has been silent for an hour.
 */
export const holderOf =
  ({ apiKeys, trustedIssuers, now }: Ports) =>
  async (key: string): Promise<KeyHolder | undefined> => {
    const keyId = keyIdOf(key);
    const stored = keyId === undefined ? undefined : await apiKeys.findWithSecrets(keyId);
    if (!stored) return undefined;
    const hash = hashOfSecret(key);
    const shown = stored.secrets.find((secret) => timingSafeEqual(secret.hash, hash));
    if (!shown) return undefined;
    const { userId, keyId: id, scopes, expiresAt } = stored;
    if (stored.origin !== null && !trustedIssuers.has(stored.origin)) return undefined;
    const validUntil = earliest(shown.validUntil, expiresAt, silentFrom(stored));
    const at = now();
    if (validUntil !== undefined && validUntil <= at) return undefined;
    apiKeys.used(id, at);
    return { userId, keyId: id, scopes, secretVersion: shown.version, validUntil };
  };

const silentFrom = ({ issuerAnsweredAt }: StoredApiKey): Date | null =>
  issuerAnsweredAt && new Date(issuerAnsweredAt.getTime() + SILENCE_MS);

function earliest(...moments: readonly (Date | null)[]): Date | undefined {
  return moments
    .filter((moment) => moment !== null)
    .toSorted((a, b) => a.getTime() - b.getTime())
    .at(0);
}
