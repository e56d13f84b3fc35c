import { apiKeyToken } from '@junction/contracts';
import { lockInSession } from '../locked-account.js';
import type { Ports } from '../ports.js';
import { knownKeyId } from '../revoke-api-key.js';
import { hashOfSecret } from '../secret-hash.js';
import type { ApiKeyWithSecret } from './create-api-key.js';

const SECOND_MS = 1_000;

export interface RotatedApiKey extends ApiKeyWithSecret {
  /** Until when the last secret counts as well. */
  readonly previousValidUntil: Date;
}

/**
 * Gives a key a new secret. Its id, name, scopes and end stay. The last secret counts for `overlapS` seconds more,
 * the secret before that ends at once. The session of the request, if there is one, must be alive. AppError
 * `api_key_not_found`, for another user's key too.
 */
export const rotateApiKey =
  ({ unitOfWork, now, random }: Ports) =>
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
    const known = knownKeyId(keyId);
    const key = apiKeyToken(known, random);
    const secretHash = hashOfSecret(key);
    const shown = await unitOfWork.inTurn(userId, async (tx) => {
      await lockInSession(tx, { userId, sessionId });
      for (const event of await tx.handleApiKey(known, { type: 'RotateApiKey', data })) {
        if (event.type !== 'api_key.rotated') continue;
        await tx.apiKeys.addSecret({ ...event.data, holderId: known, secretHash });
      }
      return tx.apiKeys.shown(userId, known);
    });
    return { keyId: known, key, shown, previousValidUntil };
  };
