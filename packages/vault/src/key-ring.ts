import { createSecretKey, type KeyObject } from 'node:crypto';
import { AppError } from '@junction/errors';

/** A key of the ring. Its bytes sit in a KeyObject, which prints and serialises to nothing. */
export interface RingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The keys that wrap all others. The newest seals; every one opens what it has sealed. */
export interface KeyRing {
  readonly newest: RingKey;
  /** Ids of the keys, newest first. */
  readonly ids: readonly string[];
  find(id: string): RingKey | undefined;
}

const KEYS_MAX = 16;
const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Reads `k2:<base64url of 32 bytes>,k1:…`, newest first. Throws AppError `invalid_key_ring`, which names the entry by
 * its number and the mistake, and never a character of the text: any of it may be a key.
 */
export function keyRing(text: string): KeyRing {
  const entries = text.split(',', KEYS_MAX + 1);
  if (entries.length > KEYS_MAX) throw unusable(`it holds more than ${KEYS_MAX} keys`);

  const keys = entries.map((entry, index) => ringKey(entry.trim(), index + 1));
  const byId = new Map(keys.map((key) => [key.id, key]));
  if (byId.size < keys.length) throw unusable('two of its keys have the same id');

  const [newest] = keys;
  if (newest === undefined) throw unusable('it is empty');
  return { newest, ids: [...byId.keys()], find: (id) => byId.get(id) };
}

function ringKey(entry: string, place: number): RingKey {
  const colon = entry.indexOf(':');
  const id = entry.slice(0, Math.max(colon, 0));
  if (!ID.test(id))
    throw unusable(`entry ${place} does not begin with an id and a colon, like k1:`);

  const encoded = entry.slice(colon + 1);
  const bytes = Buffer.from(encoded, 'base64url');
  if (bytes.toString('base64url') !== encoded) {
    throw unusable(`the key of entry ${place} is not base64url without padding`);
  }
  if (bytes.length !== KEY_BYTES) {
    throw unusable(`the key of entry ${place} has ${bytes.length} bytes`);
  }
  return { id, key: createSecretKey(bytes) };
}

const unusable = (mistake: string) =>
  new AppError(
    'invalid_key_ring',
    `The key ring is not usable: ${mistake}. It must read <id>:<base64url of 32 bytes>, newest first, with commas between.`,
  );
