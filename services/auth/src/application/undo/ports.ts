import type { Undoing } from '../../domain/user/undoing.js';
import type { OwnedApiKey } from '../api-key/ports.js';
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

/** Changes that can still be taken back, each by the links of its mails. */
export interface AccountChanges {
  /**
   * Keeps the token of a mail about this change, in place of an earlier one of the mail. Undefined when the change was
   * taken back, or its account is gone.
   */
  keepToken(link: {
    readonly mailId: string;
    readonly changeId: string;
    readonly tokenHash: Buffer;
  }): Promise<Pick<UndoPreview, 'mayEndAtOnce'> | undefined>;
  /**
   * Finds the change by whose link this address, of now or of before, can have back an account that was deleted, and
   * the moment of the deletion.
   */
  deletionAt(
    email: string,
  ): Promise<{ readonly changeId: string; readonly createdAt: Date } | undefined>;
  /** The change that a token stands for, and those after it; undefined for an unknown token. */
  find(wanted: WantedChange): Promise<UndoPreview | undefined>;
  /** Lists changes of webhooks, from this one on, oldest first. */
  webhooksSince(changeId: string): Promise<readonly ToldWebhook[]>;
  /** Deletes some whose links count no more. */
  deleteEnded(now: Date): Promise<void>;
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

/** Changes that can still be taken back. */
export interface AccountChangeTable {
  /** Adds a change, and returns its id. */
  add(change: KeptChange): Promise<string>;
  find(wanted: WantedChange): Promise<FoundChange | undefined>;
  /**
   * Lets the links that count go on until another moment. Returns the addresses that they can bring back, each with the
   * earliest change that took it.
   */
  prolong(userId: string, now: Date, until: Date): Promise<readonly LostAddress[]>;
  /**
   * Makes the user's second factors those of before the change, and returns the difference. Factors that are still
   * there keep their counters. Recovery codes do not come back, because they may have been used since, and neither
   * does a passkey that another account has registered meanwhile.
   */
  restoreFactors(change: FoundChange): Promise<Pick<Undoing, 'removed' | 'returned'>>;
  /** Lists the live keys that were made, or got a secret, with this change or later. */
  apiKeysSince(change: FoundChange): Promise<readonly OwnedApiKey[]>;
  /** Lists the ids of webhooks that were made or changed with this change or later. */
  webhooksSince(change: FoundChange): Promise<readonly string[]>;
  /** When the last mail about webhooks of the user is due, or was. */
  lastWebhookMailAt(userId: string): Promise<Date | undefined>;
  /** Adds traits to a change of this webhook that the same links take back. Returns false when there is none. */
  addTraits(userId: string, webhook: ChangedWebhook & { readonly at: Date }): Promise<boolean>;
  /** Deletes this change and all later ones, with their links and the mails about them. */
  deleteSince(change: FoundChange): Promise<void>;
}
