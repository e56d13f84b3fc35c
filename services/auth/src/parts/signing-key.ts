import { measureKeyAge } from '@junction/service';
import { type SigningKeys, signingKeys } from '../adapters/jwt/signing-keys.js';
import {
  loadSigningKeys,
  signingSince,
} from '../adapters/postgres/signing-key/signing-key-store.js';
import type { Ports } from '../application/ports.js';
import { ensureSigningKey } from '../application/signing-key/rotate-signing-keys.js';
import { RELOAD_MS } from '../domain/signing-key/rotation.js';
import { type AuthPlatform, now } from './platform.js';

/** Topic of notifications that a key was added. */
export const SIGNING_KEYS = 'signing_keys';

/** Opens the keys that sign tokens, measures their age, and reads them again whenever one is added. */
export async function openKeys(
  { job, meter, notifier, pool, ring }: AuthPlatform,
  ports: Pick<Ports, 'signingKeyStore' | 'unitOfWork'>,
): Promise<SigningKeys> {
  await ensureSigningKey({ ...ports, now });
  const keys = await signingKeys(() => loadSigningKeys(pool, ring), now);
  notifier.listen(SIGNING_KEYS, job('key reload', RELOAD_MS, keys.reload).wake);
  measureKeyAge(meter, 'tokens', async () => signingSince(pool));
  return keys;
}
