import type { Job } from '../job.js';

/** Due deliveries, and the version of the index of webhooks by which they were read. */
export interface DueWork {
  readonly indexVersion: string;
  /** Whether a shard belongs to no replica just now. */
  readonly freeShards: boolean;
  /** Whether more is due than one read looks at: the read then returns no jobs, and they have to be read in turns. */
  readonly isBacklogged: boolean;
  /** Milliseconds until the next delivery is due; undefined: none waits for its time. */
  readonly soonestMs: number | undefined;
  readonly jobs: readonly Job[];
}

/** A few jobs of each webhook up to `goOnAfter`; undefined: the read came to the end. */
export interface DueInTurns {
  readonly goOnAfter: string | undefined;
  readonly jobs: readonly Job[];
}

export interface DueQuery {
  readonly shards: readonly number[];
  readonly exceptWebhooks: readonly string[];
  readonly exceptDeliveries: readonly string[];
  readonly limit: number;
}

export interface DueOfQuery extends Pick<DueQuery, 'exceptDeliveries' | 'limit'> {
  readonly webhookIds: readonly string[];
}

/** A few jobs of each of some webhooks. */
export interface DueOf {
  readonly jobs: readonly Job[];
  /** Webhooks for which `jobs` is all that is due. */
  readonly all: readonly string[];
}

/** Head of what waits for an ordered webhook. */
export interface OrderedHead {
  /** Milliseconds until the oldest delivery is due; 0: it is due. */
  readonly waitMs: number;
  /** Due jobs, from the oldest on. */
  readonly jobs: readonly Job[];
}

/** Heads by webhook; a webhook without an entry has nothing waiting. */
export type OrderedWork = ReadonlyMap<string, OrderedHead>;

/** Reads of what is due, and of changes of webhooks. */
export interface DueReads {
  readonly readDue: (query: DueQuery) => Promise<DueWork>;
  /** Reads a backlog webhook by webhook, from behind the one where the last read ended. */
  readonly readInTurns: (query: DueQuery, after: string | undefined) => Promise<DueInTurns>;
  readonly readOf: (query: DueOfQuery) => Promise<DueOf>;
  readonly readOrdered: (webhookIds: readonly string[]) => Promise<OrderedWork>;
  /**
   * Returns those of these webhooks that have another version by now, are gone, or changed since that version of the
   * index; undefined: since any.
   */
  readonly changedWebhooks: (
    known: ReadonlyMap<string, number>,
    sinceIndexVersion: string | undefined,
  ) => Promise<readonly string[]>;
}
