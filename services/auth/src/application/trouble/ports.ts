import type { News, Trouble, TroubleKind } from '../../domain/trouble/trouble.js';

/** A webhook or a connection of a user. */
export interface Owned {
  /** Id of the webhook or the connection. */
  readonly about: string;
  readonly userId: string;
  /** Host of the webhook, or name of the account at its provider, for its user's eyes; undefined: none is known. */
  readonly name?: string | undefined;
}

export type OwnedNews = Owned &
  News & {
    /** The news are none unless this is what is known; absent: whatever is known. */
    readonly after?: TroubleKind;
  };
export type OwnedTrouble = Owned & Trouble;

/** Tokens of links that end the mails about troubles. They are stored nowhere, and count as long as the account. */
export interface UnsubscribeTokens {
  of(userId: string): string;
  /** Returns the user whom a token is about; undefined: the token is none of ours. */
  userOf(token: string): string | undefined;
}
