import type { Job } from '../job.js';

/** Due deliveries, and the version of the index of webhooks by which they were read. */
export interface DueWork {
  readonly indexVersion: string;
  /** Whether a shard belongs to no replica just now. */
  readonly freeShards: boolean;
  /** Whether the time of more webhooks has come than one read looks at. */
  readonly isMore: boolean;
  /** Milliseconds until the time of the next webhook comes; undefined: none waits for its time. */
  readonly soonestMs: number | undefined;
  /** The first due deliveries of each webhook that was looked at: a first of each before any second. */
  readonly jobs: readonly Job[];
  /** Webhooks for which `jobs` is all that is due. */
  readonly all: readonly string[];
  /** Webhooks that were looked at and may have more due: for a minute, they are read by `webhookIds` alone. */
  readonly left: readonly string[];
}

export interface DueQuery {
  /** Shards of which the webhooks are looked at whose time has come, or that were left by an earlier epoch. */
  readonly shards: readonly number[];
  /** Epochs of the leases of these shards. */
  readonly epochs: readonly string[];
  /** Webhooks that are looked at in any case, half as many as `limit` at most. */
  readonly webhookIds: readonly string[];
  /** Webhooks of which nothing is brought. */
  readonly exceptWebhooks: readonly string[];
  readonly exceptDeliveries: readonly string[];
  readonly limit: number;
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
  /** Has the webhooks of these shards looked at again of which something was in hand or left: it is forgotten here. */
  readonly lookAgain: (shards: readonly number[]) => Promise<void>;
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
