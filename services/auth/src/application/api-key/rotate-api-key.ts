import { apiKeyToken, isKeyId } from '@junction/contracts';
import { replay } from '@junction/eventsourcing';
import { apiKeyDecider } from '../../domain/api-key/decider.js';
import type { Ports } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import { streamOf } from '../streams.js';

const SECOND_MS = 1_000;

export interface RotatedApiKey {
  /** The answer alone holds it; nobody can read it again. */
  readonly key: string;
  /** Until when the last secret counts as well. */
  readonly previousValidUntil: Date;
}

/**
 * Gives a key a new secret. Its id, name, scopes and end stay. The last secret counts for `overlapS` seconds more,
 * the secret before that ends at once. The session of the request, if there is one, must be alive. AppError
 * `api_key_not_found`, for another user's key too.
 */
export const rotateApiKey =
  ({ apiKeys, now, random }: Ports) =>
  async (
    userId: string,
    keyId: string,
    overlapS: number,
    sessionId?: string,
  ): Promise<RotatedApiKey> => {
    const previousValidUntil = new Date(now().getTime() + overlapS * SECOND_MS);
    const data = {
      userId,
      previousValidUntil: previousValidUntil.toISOString(),
      at: now().toISOString(),
    };
    const known = isKeyId(keyId) ? keyId : 'none';
    const key = apiKeyToken(known, random);
    await apiKeys.rotate(
      streamOf.apiKey(known),
      (history) =>
        apiKeyDecider.decide({ type: 'RotateApiKey', data }, replay(apiKeyDecider, history)),
      { secretHash: hashOfSecret(key), sessionId },
    );
    return { key, previousValidUntil };
  };
