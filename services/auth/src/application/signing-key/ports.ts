import type { StreamAppend } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';
import type { SigningKeyEvent } from '../../domain/signing-key/events.js';
import type { KeyTimes, Rotation } from '../../domain/signing-key/rotation.js';

/** A key that is published, or will be. */
export interface StoredSigningKey extends KeyTimes {
  readonly kid: string;
  readonly history: readonly SigningKeyEvent[];
  readonly version: number;
}

export interface RotationDecision extends Rotation {
  readonly at: Date;
  readonly appends: readonly StreamAppend<AuthEvent>[];
}

export interface SigningKeyStore {
  /**
   * Makes a key and retires the others as `decide` says, which hears the id of the new one; undefined: nothing is
   * due. Replicas decide one after the other. Gives the id of the new key.
   */
  rotate(
    decide: (keys: readonly StoredSigningKey[], kid: string) => RotationDecision | undefined,
  ): Promise<string | undefined>;
  /** Destroys the private halves of keys that are published no more. */
  destroyEnded(now: Date): Promise<void>;
}
