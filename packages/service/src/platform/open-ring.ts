import { repeat } from '@junction/async';
import {
  followedRing,
  type KeyRing,
  keySource,
  openKeyRing,
  type RingPlace,
  requireKeys,
} from '@junction/vault';
import type pg from 'pg';
import { type Runtime, readSecretFile } from '../process/index.js';
import type { PlatformConfig } from './platform.js';

const READ_EVERY_MS = 10_000;

/**
 * Opens the key ring, which must open everything that is sealed in these places. A ring from a file is read again every
 * ten seconds; a new ring that opens everything replaces it.
 */
export async function openRing(
  { vaultKeys, vaultKeysFile: file }: Pick<PlatformConfig, 'vaultKeys' | 'vaultKeysFile'>,
  pool: pg.Pool,
  places: readonly RingPlace[],
  { log, closing }: Pick<Runtime, 'log' | 'closing'>,
  everyMs = READ_EVERY_MS,
): Promise<KeyRing> {
  const accept = async (ring: KeyRing) => requireKeys(pool, ring, places);
  const first = await openKeyRing(keySource(vaultKeys));
  await accept(first);
  if (file === undefined) return first;

  const ring = followedRing(vaultKeys, first, { read: () => readSecretFile(file), accept });
  const lookAgain = async () => {
    if (await ring.lookAgain()) log.info({ keys: ring.ids }, 'the key ring has changed');
  };
  const onError = (err: unknown) =>
    log.warn({ err }, 'the key ring in VAULT_KEYS_FILE cannot be used: the one before is');
  const following = repeat(everyMs, lookAgain, onError);
  closing.add('key ring', following, (job) => job.stop());
  return ring;
}
