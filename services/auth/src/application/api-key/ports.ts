import type { StreamAppend } from '@junction/eventsourcing';
import type { ApiKeyEvent } from '../../domain/api-key/events.js';
import type { AuthEvent } from '../../domain/auth-event.js';

export interface ApiKeyRow {
  readonly keyId: string;
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** From then on it is nobody's; null: it does not expire. */
  readonly expiresAt: Date | null;
  /** Until when the secret before the newest one counts; null: the key was never rotated. */
  readonly previousValidUntil: Date | null;
  /** To the minute; null: never. */
  readonly lastUsedAt: Date | null;
}

/** A secret of a key, which has two at most. */
export interface ApiKeySecret {
  /** Counted from 1. */
  readonly version: number;
  readonly hash: Buffer;
  /** Null: as long as the key. */
  readonly validUntil: Date | null;
}

export interface NewSecret {
  readonly secretHash: Buffer;
  /** The session that asks, which must be alive; undefined: there is none here. */
  readonly sessionId: string | undefined;
}

export interface ApiKeys {
  /**
   * Stores events and hash of the secret, both or neither. Of many requests at once, `max` keys are made. AppError
   * `invalid_token` where the session has ended.
   */
  create(
    append: StreamAppend<AuthEvent>,
    key: Pick<ApiKeyRow, 'keyId' | 'userId'> & NewSecret,
    max: number,
  ): Promise<'created' | 'user_is_gone' | 'too_many'>;
  /**
   * Appends the events that `decide` makes of the key's history, and stores the hash of its new secret: both or
   * neither. Decides again when another change came first. AppError `invalid_token` where the session has ended.
   */
  rotate(
    streamId: string,
    decide: (history: readonly ApiKeyEvent[]) => readonly ApiKeyEvent[],
    secret: NewSecret,
  ): Promise<void>;
  /** Newest first. */
  list(userId: string): Promise<readonly ApiKeyRow[]>;
  findWithSecrets(
    keyId: string,
  ): Promise<{ key: ApiKeyRow; secrets: readonly ApiKeySecret[] } | undefined>;
  /** Notes a use, to be written with `writeUses`: a request never waits for that. */
  used(keyId: string, at: Date): void;
  /** Writes the uses whose time in the table is older than a minute. */
  writeUses(): Promise<void>;
}
