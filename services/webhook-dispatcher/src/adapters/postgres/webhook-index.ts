import { type DataKeyRow, findDataKeyRows } from '@junction/vault';
import type pg from 'pg';
import type { MatchedWebhook, WebhooksByUser } from '../../application/intake/ports.js';
import { shardOf } from '../../domain/shard.js';
import type { Filter } from '../../domain/webhook/filter.js';
import type { WebhookRow } from '../../projections/webhook-row.js';
import { statement } from './statement.js';

/** A user as intake needs one: webhooks to match events with, and a data key to seal them with. */
interface KnownUser {
  readonly webhooks: readonly MatchedWebhook[];
  readonly dataKey: DataKeyRow | undefined;
}

/** Users as they were when `webhook_index` had that version, or later. */
export interface Look {
  readonly version: number;
  readonly webhooks: WebhooksByUser;
  /** Wrapped data keys by user. A user who had none yet is absent. */
  readonly dataKeys: ReadonlyMap<string, DataKeyRow>;
}

/** Changes that a statement has seen since the version of a Look. */
export interface News {
  readonly since: number;
  readonly version: number;
  /** Users whose webhooks changed. Undefined: the changes are too many, or no longer all stored. */
  readonly changed: readonly string[] | undefined;
}

/** Users in each of two generations, with as many webhooks: some kilobytes for ten. */
const GENERATION_MAX = 10_000;

/**
 * Webhooks of the users whose events come here, in memory. A Look may be outdated: a caller looks for changes since its
 * version in the statement that relies on it, and passes the result to `learn`.
 */
export class WebhookIndex {
  /** Everything known is as of this version, or later. */
  #version: number | undefined;
  // Users who were not looked up for a whole generation are dropped together with it: entries deleted one by one would
  // be kept alive by an old Map until the next full collection.
  #recent = new Map<string, KnownUser>();
  #earlier = new Map<string, KnownUser>();
  #size = 0;
  readonly #pool: Pick<pg.Pool, 'query'>;

  /**
   * `pool`: not the one whose transactions wait for this. They do not read for themselves, since a key that one
   * of them has made goes when it is rolled back.
   */
  constructor(pool: Pick<pg.Pool, 'query'>) {
    this.#pool = pool;
  }

  /** Returns these users, from memory; those that memory lacks are read. */
  async look(userIds: readonly string[]): Promise<Look> {
    const before = this.#version;
    const webhooks = new Map<string, readonly MatchedWebhook[]>();
    const dataKeys = new Map<string, DataKeyRow>();
    const add = (userId: string, user: KnownUser) => {
      webhooks.set(userId, user.webhooks);
      if (user.dataKey) dataKeys.set(userId, user.dataKey);
    };
    const unknown: string[] = [];
    for (const userId of userIds) {
      const known = this.#find(userId);
      if (known) add(userId, known);
      else unknown.push(userId);
    }
    if (before !== undefined && unknown.length === 0)
      return { version: before, webhooks, dataKeys };

    const { version, loaded } = await load(this.#pool, unknown);
    this.#version ??= version;
    for (const [userId, user] of loaded) {
      add(userId, user);
      // A change that another transaction has been told of meanwhile may not be in what was read before it.
      if (version >= this.#version) this.#keep(userId, user);
    }
    return { version: Math.min(before ?? this.#version, version), webhooks, dataKeys };
  }

  /** The wrapped keys of those of these users that are known. */
  dataKeys(userIds: readonly string[]): ReadonlyMap<string, DataKeyRow> {
    const keys = new Map<string, DataKeyRow>();
    for (const userId of userIds) {
      const dataKey = this.#find(userId)?.dataKey;
      if (dataKey) keys.set(userId, dataKey);
    }
    return keys;
  }

  learn({ since, version, changed }: News): void {
    if (changed === undefined) {
      this.#version = undefined;
      this.#recent = new Map();
      this.#earlier = new Map();
      this.#size = 0;
      return;
    }
    // News that begin after this version leave a gap; news that end at this version or before it are known already.
    if (this.#version === undefined || since > this.#version || version <= this.#version) return;
    this.#version = version;
    for (const userId of changed) {
      this.#recent.delete(userId);
      this.#earlier.delete(userId);
    }
  }

  #find(userId: string): KnownUser | undefined {
    const recent = this.#recent.get(userId);
    if (recent) return recent;
    const earlier = this.#earlier.get(userId);
    if (earlier) this.#keep(userId, earlier);
    return earlier;
  }

  #keep(userId: string, user: KnownUser): void {
    if (this.#size >= GENERATION_MAX) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
      this.#size = 0;
    }
    this.#recent.set(userId, user);
    this.#size += 1 + user.webhooks.length;
  }
}

async function load(pool: Pick<pg.Pool, 'query'>, userIds: readonly string[]) {
  const [webhooks, keys] = await Promise.all([
    readWebhooks(pool, { user_ids: userIds }),
    findDataKeyRows(pool, userIds),
  ]);
  const found = new Map<string, MatchedWebhook[]>(userIds.map((userId) => [userId, []]));
  for (const row of webhooks.rows) {
    if (row.webhook_id !== null) found.get(row.user_id)?.push(toMatched(row));
  }
  const loaded = new Map<string, KnownUser>();
  for (const [userId, webhooks] of found) {
    loaded.set(userId, { webhooks, dataKey: own(keys.get(userId)) });
  }
  // Far below 2^53: so many changes are made by nobody.
  return { version: Number(webhooks.rows[0]?.index_version), loaded };
}

type MatchedRow = Pick<
  WebhookRow,
  'webhook_id' | 'user_id' | 'events' | 'status' | 'filter' | 'version'
>;
type NoWebhook = { readonly webhook_id: null };
type IndexedRow = { readonly index_version: string } & (MatchedRow | NoWebhook);

const readWebhooks = statement<IndexedRow>(
  'webhooks_of_users',
  `select i.version as index_version, w.webhook_id, w.user_id, w.events, w.status, w.filter, w.version
     from webhook_index i left join webhooks w on w.user_id = any (:user_ids::uuid[])`,
  { webhook_id: 'wh' },
);

const toMatched = (row: MatchedRow): MatchedWebhook => ({
  webhookId: row.webhook_id,
  events: row.events,
  status: row.status,
  ...(row.filter !== null && { filter: JSON.parse(row.filter) as Filter }),
  version: row.version,
  shard: shardOf(row.user_id),
});

/** Bytes of a row share the memory of what was read with them, and would keep all of it. */
const own = (row: DataKeyRow | undefined): DataKeyRow | undefined =>
  row?.wrapped ? { ...row, wrapped: Buffer.from(Uint8Array.from(row.wrapped).buffer) } : row;
