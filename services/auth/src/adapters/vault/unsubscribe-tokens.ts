import { type KeyRing, openWithRing, sealWithRing } from '@junction/vault';
import type { UnsubscribeTokens } from '../../application/trouble/ports.js';

const PLACE = 'unsubscribe';

/** Tokens that are the sealed id of their user. They end with the key of the ring that sealed them. */
export const unsubscribeTokens = (ring: KeyRing): UnsubscribeTokens => ({
  of: (userId) => sealWithRing(ring, Buffer.from(userId), PLACE).toString('base64url'),

  userOf(token) {
    try {
      return openWithRing(ring, Buffer.from(token, 'base64url'), PLACE).toString();
    } catch {
      return undefined;
    }
  },
});
