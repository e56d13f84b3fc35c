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
 * A new key because an operator asks. `hasLeaked`: it signs at once, and nothing that the others sign counts as soon
 * as receivers ask for the keys again; otherwise none notices that asks once a day.
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
