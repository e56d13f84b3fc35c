import type { News, Trouble } from '../../domain/trouble/trouble.js';

/** A webhook or a connection of a user. */
export interface Owned {
  /** Id of the webhook or the connection. */
  readonly about: string;
  readonly userId: string;
  /** Host of the webhook, or name of the account at its provider, for its user's eyes; undefined: none is known. */
  readonly name?: string | undefined;
}

export type OwnedNews = Owned & News;
export type OwnedTrouble = Owned & Trouble;

export interface Troubles {
  /** Lists the troubles of a user, the newest first; those that are over may be among them. */
  of(userId: string): Promise<readonly OwnedTrouble[]>;
  /** Some of the users whom a mail has to tell of something at that moment. */
  due(now: Date): Promise<readonly string[]>;
  /** Deletes those that are over since before that moment. */
  purge(before: Date): Promise<void>;
}

export interface TroubleTable {
  /** Locks the accounts of those of these users who have an address here, and returns their ids. */
  lockUsers(userIds: readonly string[]): Promise<readonly string[]>;
  ofUsers(userIds: readonly string[]): Promise<readonly OwnedTrouble[]>;
  /** Inserts them, or replaces what was known of them. */
  save(troubles: readonly OwnedTrouble[]): Promise<void>;
}

/** Tokens of links that end the mails about troubles. They are stored nowhere, and count as long as the account. */
export interface UnsubscribeTokens {
  of(userId: string): string;
  /** Returns the user whom a token is about; undefined: the token is none of ours. */
  userOf(token: string): string | undefined;
}
