import type { StreamAppend } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';

export interface ApiKeyRow {
  readonly keyId: string;
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** From then on it is nobody's; null: it does not expire. */
  readonly expiresAt: Date | null;
}

export interface ApiKeys {
  /** Events and hash of the secret, both or neither. Of many asked for at once, `max` are made. */
  create(
    append: StreamAppend<AuthEvent>,
    key: Pick<ApiKeyRow, 'keyId' | 'userId'> & { readonly secretHash: Buffer },
    max: number,
  ): Promise<'created' | 'user_is_gone' | 'too_many'>;
  /** Newest first. */
  list(userId: string): Promise<readonly ApiKeyRow[]>;
  findWithHash(keyId: string): Promise<{ key: ApiKeyRow; secretHash: Buffer } | undefined>;
}
