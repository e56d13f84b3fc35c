import { keyPair, newSigningKey } from '@junction/webhook-signing';
import { atOnce, inTime } from '../../domain/webhook-key/rotation.js';
import type { Ports } from '../ports.js';
import { type NewWebhookKey, publicJwk } from './webhook-keys.js';

type KeyPorts = Pick<Ports, 'quietWork' | 'webhookKeyStore' | 'now'>;

/** Makes the very first key, which signs at once because nobody knows another one. */
export async function ensureWebhookKey({
  quietWork,
  webhookKeyStore,
  now,
}: KeyPorts): Promise<void> {
  if ((await webhookKeyStore.load()).length > 0) return;
  const at = now();
  await quietWork.inTransaction(async ({ webhookKeys }) => {
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
  (ports: KeyPorts & Pick<Ports, 'webhookKeys' | 'webhookKeyAdded'>) =>
  async ({ hasLeaked }: { readonly hasLeaked: boolean }) => {
    const { quietWork, webhookKeyStore, webhookKeys, webhookKeyAdded } = ports;
    const at = ports.now();
    const rotation = hasLeaked ? atOnce(at) : inTime(at);
    const key = newKey(at, rotation.signsFrom);
    await quietWork.inTransaction(async ({ webhookKeys: table }) => {
      await table.takeTurn();
      await table.endAll(rotation);
      await table.insert(key);
    });
    await webhookKeyStore.destroyEnded(at);
    await webhookKeys.reload();
    webhookKeyAdded();
    const { kid, publicKey } = key;
    return { ...rotation, kid, publicKey };
  };

function newKey(createdAt: Date, signsFrom: Date): NewWebhookKey {
  const signingKey = newSigningKey();
  const { publicKey } = keyPair(signingKey);
  return { kid: publicJwk(publicKey).kid, publicKey, signingKey, createdAt, signsFrom };
}
