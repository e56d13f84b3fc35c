import { isKeyId } from '@junction/contracts';
import type { Ports } from '../ports.js';
import { streamOf } from '../streams.js';

/** Does nothing the second time. AppError `api_key_not_found`, for another user's key too. */
export const revokeApiKey =
  ({ handleApiKey, now }: Ports) =>
  async (userId: string, keyId: string): Promise<void> => {
    const at = now().toISOString();
    // A malformed id names no stream; the decider of an empty one says the same as for a stranger.
    const streamId = streamOf.apiKey(isKeyId(keyId) ? keyId : 'none');
    await handleApiKey(streamId, { type: 'RevokeApiKey', data: { userId, reason: 'user', at } });
  };
