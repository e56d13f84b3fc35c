import { keyPair, newSigningKey } from '@junction/webhook-signing';
import { atOnce, inTime, type Rotation } from '../domain/webhook-key/rotation.js';
import { type NewWebhookKey, publicJwk, type WebhookKeyStore } from './webhook-keys.js';

interface KeyPorts {
  readonly store: WebhookKeyStore;
  readonly now: () => Date;
}

export interface RotatedWebhookKeys extends Rotation {
  readonly kid: string;
  readonly publicKey: string;
}

/** Makes the very first key, which signs at once because nobody knows another one. */
export async function ensureWebhookKey({ store, now }: KeyPorts): Promise<void> {
  const at = now();
  if ((await store.load()).length > 0) return;
  await store.add(newKey(), atOnce(at), { at, onlyFirst: true });
}

/**
 * Rotates to a new key at an operator's request. With `hasLeaked` the new key signs at once, and what the other keys
 * sign counts for nothing as soon as receivers fetch the keys again; otherwise a receiver that fetches them once a day
 * notices no rotation.
 */
export const rotateWebhookKeys =
  ({ store, now }: KeyPorts) =>
  async ({ hasLeaked }: { readonly hasLeaked: boolean }): Promise<RotatedWebhookKeys> => {
    const at = now();
    const rotation = hasLeaked ? atOnce(at) : inTime(at);
    const key = newKey();
    await store.add(key, rotation, { at, onlyFirst: false });
    await store.destroyEnded(at);
    const { kid, publicKey } = key;
    return { ...rotation, kid, publicKey };
  };

function newKey(): NewWebhookKey {
  const signingKey = newSigningKey();
  const { publicKey } = keyPair(signingKey);
  return { kid: publicJwk(publicKey).kid, publicKey, signingKey };
}
