import { isKeyId } from '@junction/contracts';
import type { ApiKeyRevocationReason } from '../domain/api-key/events.js';
import type { Ports } from './ports.js';

/** Does nothing the second time. AppError `api_key_not_found`, for another user's key too. */
export const revokeApiKey =
  (ports: Ports) =>
  async (userId: string, keyId: string): Promise<void> =>
    endApiKey(ports, userId, keyId, 'user');

export async function endApiKey(
  { unitOfWork, now }: Ports,
  userId: string,
  keyId: string,
  reason: ApiKeyRevocationReason,
): Promise<void> {
  const data = { userId, reason, at: now().toISOString() };
  await unitOfWork.inTurn(userId, async (tx) =>
    tx.handleApiKey(knownKeyId(keyId), { type: 'RevokeApiKey', data }),
  );
}

/** A malformed id names no stream; the decider of an empty one says the same as for a stranger. */
export const knownKeyId = (keyId: string): string => (isKeyId(keyId) ? keyId : 'none');
