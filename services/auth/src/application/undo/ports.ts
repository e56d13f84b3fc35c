import type { UndoableKind } from '../notices.js';
import type { WebhookTrait } from '../webhook/ports.js';

/** How long a change can be taken back. */
export const UNDO_MS = 72 * 60 * 60 * 1_000;

/** A change of an account that its user was told of. */
export interface AccountChange {
  readonly kind: UndoableKind;
  readonly changedAt: Date;
}

/** A link counts for 72 hours, and for 72 more from each deletion of the account. */
export interface WantedChange {
  readonly tokenHash: Buffer;
  readonly now: Date;
}

/** The changes that a link takes back. */
export interface UndoPreview {
  /** Changes, oldest first. */
  readonly changes: readonly AccountChange[];
  /** Until when the account can be brought back, which was deleted; null: it was not. */
  readonly openUntil: Date | null;
  /** Whether the link may end the account at once: no link goes back to an earlier address. */
  readonly mayEndAtOnce: boolean;
}

/** A change that can be taken back, with what it needs for that. */
export interface KeptChange {
  readonly userId: string;
  readonly kind: UndoableKind;
  readonly at: Date;
  /** The address before the change. */
  readonly email: string;
  /** The key that was made, or got a secret. */
  readonly keyId: string | undefined;
  /** The webhook that was made or changed. */
  readonly webhook?: ChangedWebhook | undefined;
  /** When a mail tells of this and later changes of webhooks; absent: an earlier mail does, or it is none of these. */
  readonly mailAt?: Date | undefined;
  /** Whether a mail has a link to it: the second factors of the moment are kept then. */
  readonly isLinked: boolean;
}

export interface ChangedWebhook {
  readonly webhookId: string;
  readonly traits: readonly WebhookTrait[];
}

/** A change of a webhook, as a mail tells of it. */
export interface ToldWebhook extends ChangedWebhook {
  readonly at: Date;
  /** Kinds of event that it gets; null: it was deleted since. */
  readonly events: readonly string[] | null;
}

/** A change whose link was used. */
export interface FoundChange {
  readonly changeId: string;
  /** Place in the order of changes. */
  readonly place: string;
  readonly userId: string;
  /** The address before the change, to which the link was mailed. */
  readonly email: string;
  readonly mayEndAtOnce: boolean;
}

/** A change of address that a link can still take back. */
export interface LostAddress {
  readonly changeId: string;
  /** The address before the change. */
  readonly email: string;
}
