import { type KeyRing, keyRing } from './key-ring.js';
import { keySource, openKeyRing } from './key-source.js';

/** A ring that becomes another one when its text changes. */
export interface FollowedRing extends KeyRing {
  /**
   * Reads the text again and switches to its ring; returns whether the ring has changed. Rejects when the new ring
   * cannot be used, and the ring before stays.
   */
  lookAgain(): Promise<boolean>;
}

export interface Following {
  /** Returns the current text of VAULT_KEYS. */
  readonly read: () => string;
  /** Rejects when a ring must not replace the one before. */
  readonly accept: (ring: KeyRing) => Promise<void>;
}

/**
 * Follows the text of a ring. The returned ring seals with another key only after `lookAgain`, but opens at once what
 * another replica has sealed with a key that is in the text by now.
 */
export function followedRing(
  text: string,
  ring: KeyRing,
  { read, accept }: Following,
): FollowedRing {
  let known = text;
  let current = ring;

  return {
    get newest() {
      return current.newest;
    },
    get ids() {
      return current.ids;
    },
    find: (id) => current.find(id) ?? ringNow(read)?.find(id),

    async lookAgain() {
      const next = read();
      if (next === known) return false;
      const ring = await openKeyRing(keySource(next));
      await accept(ring);
      known = next;
      current = ring;
      return true;
    },
  };
}

/**
 * Returns the ring of the current text; undefined for a text that is being written, or that names a program:
 * `lookAgain` reports what is wrong with it.
 */
function ringNow(read: () => string): KeyRing | undefined {
  try {
    return keyRing(read());
  } catch {
    return undefined;
  }
}
