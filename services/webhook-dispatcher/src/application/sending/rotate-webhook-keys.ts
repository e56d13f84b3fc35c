import { keyPair, newSigningKey } from '@junction/webhook-signing';
import { atOnce, inTime } from '../../domain/webhook-key/rotation.js';
import type { UnitOfWork } from '../unit-of-work.js';
import type { RotatedWebhookKeys } from './ports.js';
import { type NewWebhookKey, publicJwk, type WebhookKeyStore } from './webhook-keys.js';

interface KeyPorts {
  readonly unitOfWork: UnitOfWork;
  readonly store: WebhookKeyStore;
  readonly now: () => Date;
}

/** Makes the very first key, which signs at once because nobody knows another one. */
export async function ensureWebhookKey({ unitOfWork, store, now }: KeyPorts): Promise<void> {
  if ((await store.load()).length > 0) return;
  const at = now();
  await unitOfWork.inTransaction(async ({ webhookKeys }) => {
    await webhookKeys.takeTurn();
    if (!(await webhookKeys.exist())) await webhookKeys.insert(newKey(at, at));
  });
}

/**
 * Rotates to a new key at an operator's request. With `hasLeaked` the new key signs at once, and what the other keys
 * sign counts for nothing as soon as receivers fetch the keys again; otherwise a receiver that fetches them once a day
 * notices no rotation.
 */
export const rotateWebhookKeys =
  ({ unitOfWork, store, now }: KeyPorts) =>
  async ({ hasLeaked }: { readonly hasLeaked: boolean }): Promise<RotatedWebhookKeys> => {
    const at = now();
    const rotation = hasLeaked ? atOnce(at) : inTime(at);
    const key = newKey(at, rotation.signsFrom);
    await unitOfWork.inTransaction(async ({ webhookKeys }) => {
      await webhookKeys.takeTurn();
      await webhookKeys.endAll(rotation);
      await webhookKeys.insert(key);
    });
    await store.destroyEnded(at);
    const { kid, publicKey } = key;
    return { ...rotation, kid, publicKey };
  };

function newKey(createdAt: Date, signsFrom: Date): NewWebhookKey {
  const signingKey = newSigningKey();
  const { publicKey } = keyPair(signingKey);
  return { kid: publicJwk(publicKey).kid, publicKey, signingKey, createdAt, signsFrom };
}
