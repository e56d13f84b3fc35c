/** Entry that a listener sees as it happens. */
export interface LiveEntry {
  readonly userId: string;
  /** Id of the webhook (wh_…); only zeros for an event, which belongs to no webhook. */
  readonly webhookId: string;
  /** `delivery.filed`, `delivery.attempted`, `webhook.changed`, `operation.progressed`, `event.received` */
  readonly type: string;
  readonly data: object;
  /** Body that a webhook would get of an event, kept sealed. */
  readonly body?: Buffer | undefined;
}

/** Topic of a listener: events themselves, or their deliveries. */
export type LiveTopic = 'events' | 'deliveries';

export interface LiveQuery {
  /** Number of the last entry that was seen. */
  readonly after: string;
  readonly webhookId?: string | undefined;
  readonly topic: LiveTopic;
  readonly limit: number;
}

/** Rows in which entries wait for listeners. */
export interface LiveTailRows {
  /** Keeps entries of this user, from now on and for some minutes. */
  listen(userId: string, topic: LiveTopic): Promise<void>;
  listeners(): Promise<readonly { readonly userId: string; readonly events: boolean }[]>;
  append(entries: readonly LiveEntry[]): Promise<void>;
  /** Returns the number of the user's newest entry. */
  lastId(userId: string): Promise<string>;
  /**
   * Returns whether an entry of any user has this number or a higher one. After a restore, numbers from before it may
   * be higher than all.
   */
  hasReached(id: string): Promise<boolean>;
  read(userId: string, query: LiveQuery): Promise<readonly (LiveEntry & { readonly id: string })[]>;
  purge(): Promise<void>;
}
