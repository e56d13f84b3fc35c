import { contextOf, decrypt, encrypt, unreadable } from './envelope.js';
import type { KeyRing, RingKey } from './key-ring.js';
import { VaultError } from './vault-errors.js';

const FORMAT = 2;
const ID_AT = 2;

/**
 * Purpose of sealed bytes. The purpose is part of the context, so that a value cannot be passed off as a data key, nor
 * a data key as a value.
 */
export type RingPurpose = 'value' | 'data-key';

/**
 * Seals a value that belongs to no subject, under the newest key of the ring. `aad` names where the value is kept
 * (table, column, id): it opens there and nowhere else.
 */
export const sealWithRing = (ring: KeyRing, plaintext: Buffer, aad: string): Buffer =>
  wrapWithRing(ring, 'value', plaintext, aad);

/** Opens a sealed value. Throws VaultError `unknown_key`, naming the id, or `unreadable`. */
export const openWithRing = (ring: KeyRing, sealed: Buffer, aad: string): Buffer =>
  unwrapWithRing(ring, 'value', sealed, aad);

/** Returns the header of everything that this key has sealed: format, length of the key id, key id. */
export function ringHeader({ id }: Pick<RingKey, 'id'>): Buffer {
  const bytes = Buffer.from(id);
  return Buffer.concat([Buffer.of(FORMAT, bytes.length), bytes]);
}

export const wrapWithRing = (
  { newest }: KeyRing,
  purpose: RingPurpose,
  plaintext: Buffer,
  aad: string,
): Buffer => encrypt(newest.key, ringHeader(newest), plaintext, contextOf(purpose, aad));

export function unwrapWithRing(
  ring: KeyRing,
  purpose: RingPurpose,
  sealed: Buffer,
  aad: string,
): Buffer {
  const idBytes = sealed[1];
  if (sealed[0] !== FORMAT || idBytes === undefined) throw unreadable();

  const headerBytes = ID_AT + idBytes;
  const id = sealed.subarray(ID_AT, headerBytes).toString('latin1');
  const ringKey = ring.find(id);
  if (ringKey === undefined) throw unknownKey(id);
  return decrypt(ringKey.key, headerBytes, sealed, contextOf(purpose, aad));
}

const unknownKey = (id: string) =>
  new VaultError(
    'unknown_key',
    `The key ring has no key ${JSON.stringify(id)}, which sealed this. Put it back into the ring.`,
  );
