import { type KeyRing, keyRing } from './key-ring.js';
import { keySource, openKeyRing } from './key-source.js';

/** A ring that becomes another one when its text changes. */
export interface FollowedRing extends KeyRing {
  /**
   * Reads the text again and takes the ring that it has become; whether it has become another. Rejects when that cannot
   * be used, and the ring before stays.
   */
  lookAgain(): Promise<boolean>;
}

export interface Following {
  /** What VAULT_KEYS says now. */
  readonly read: () => string;
  /** Rejects for a ring that must not take the place of the one before. */
  readonly accept: (ring: KeyRing) => Promise<void>;
}

/**
 * The ring that `text` has given, to be followed. It seals with another key only after `lookAgain`, but opens at once what another
 * replica has sealed with a key that is in the text by now.
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

/** Nothing for a text that is being written, or names a program: `lookAgain` says what is wrong with it. */
function ringNow(read: () => string): KeyRing | undefined {
  try {
    return keyRing(read());
  } catch {
    return undefined;
  }
}
