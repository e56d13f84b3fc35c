import { poolUntil } from '@junction/service';
import type pg from 'pg';
import type { LiveEntry, LiveQuery, LiveTopic } from '../../../application/live/ports.js';
import { type OpenSealed, type Unlock, USER_KEY } from '../sealed-rows.js';
import { all, first, some, statement } from '../statement.js';

/** Time after the last sign of a listener for which the tail is still written, so that the listener can come back. */
const LISTENING = `interval '5 minutes'`;

export interface LiveTailKeys {
  readonly unlock: Unlock;
  readonly openSealed: OpenSealed;
}

/** Stores the live tail: listeners see the entries of every replica, whichever replica they listen on. */
export const liveTail = (pool: pg.Pool, { unlock, openSealed }: LiveTailKeys) => ({
  /** Keeps entries of this user, from now on and for some minutes. */
  listen: async (userId: string, topic: LiveTopic) =>
    listen(pool, { userId, events: topic === 'events' }),

  listeners: async () => readListeners(pool),

  async append(entries: readonly LiveEntry[]) {
    const withBody = entries.filter(({ body }) => body !== undefined);
    const owners = [...new Set(withBody.map(({ userId }) => userId))];
    const keys = owners.length > 0 ? await unlock(owners) : undefined;
    await append(pool, {
      bodies: entries.map(({ userId, body }) =>
        body !== undefined && keys?.has(userId) ? keys.seal(userId, body, placeOf(userId)) : null,
      ),
      user_ids: entries.map(({ userId }) => userId),
      webhook_ids: entries.map(({ webhookId }) => webhookId),
      types: entries.map(({ type }) => type),
      data: entries.map(({ data }) => JSON.stringify(data)),
    });
  },

  /** Reads that end with the signal. */
  reading: (signal: AbortSignal) => entriesOn(poolUntil(pool, signal), openSealed),

  async purge() {
    await pool.query(`delete from live_tail where at < now() - ${LISTENING}`);
    await pool.query('delete from live_listeners where until < now()');
  },
});

const entriesOn = (pool: pg.Pool, openSealed: OpenSealed) => ({
  /** Returns the number of the user's newest entry. */
  lastId: async (userId: string) => (await readLast(pool, { userId }))?.id ?? '0',

  /**
   * Returns whether an entry of any user has this number or a higher one. After a restore, numbers from before it may
   * be higher than all.
   */
  hasReached: async (id: string) => (await readReached(pool, { id }))?.reached === true,

  async read(userId: string, { topic, webhookId, ...page }: LiveQuery) {
    const isEvent = topic === 'events';
    const rows = await read(pool, { ...page, userId, webhookId: webhookId ?? null, isEvent });
    const bodies = await openSealed(
      rows.map(({ body }) => ({
        userId,
        bytes: body ?? Buffer.alloc(0),
        keyId: body === null ? null : USER_KEY,
        place: placeOf(userId),
      })),
    );
    return rows.map((row, index) => ({
      ...row,
      userId,
      body: row.body === null ? undefined : bodies[index],
    }));
  },
});

/** Sealed bodies open nowhere else. */
const placeOf = (userId: string): string => `live_tail.body/${userId}`;

const readListeners = all<object, { userId: string; events: boolean }>(
  'live_listeners',
  `select user_id as "userId", coalesce(events_until > now(), false) as events
     from live_listeners where until > now()`,
);

const listen = some<{ userId: string; events: boolean }>(
  'live_listen',
  `insert into live_listeners (user_id, until, events_until)
   values (:userId, now() + ${LISTENING}, case when :events::boolean then now() + ${LISTENING} end)
   on conflict (user_id) do update
      set until = excluded.until,
          events_until = coalesce(excluded.events_until, live_listeners.events_until)`,
);

const readLast = first<{ userId: string }, { id: string | null }>(
  'live_last',
  'select max(id) as id from live_tail where user_id = :userId',
);

/** Compares with the numbers that were given out, not with the newest row: rows are purged after minutes. */
const readReached = first<{ id: string }, { reached: boolean }>(
  'live_reached',
  `select :id::bigint <= coalesce(
            pg_sequence_last_value(pg_get_serial_sequence('live_tail', 'id')::regclass), 0) as reached`,
);

interface EntriesOf extends Pick<LiveQuery, 'after' | 'limit'> {
  readonly userId: string;
  readonly webhookId: string | null;
  readonly isEvent: boolean;
}

type EntryRow = Omit<LiveEntry, 'userId' | 'body'> & {
  readonly id: string;
  readonly body: Buffer | null;
};

const read = all<EntriesOf, EntryRow>(
  'live_read',
  `select id, webhook_id as "webhookId", type, data, body from live_tail
    where user_id = :userId and id > :after and (:webhookId::uuid is null or webhook_id = :webhookId)
      and (type = 'event.received') = :isEvent
    order by id limit :limit`,
  { webhookId: 'wh' },
);

/**
 * Appends entries. The rows of their listeners stay locked until the commit, so that the numbers of entries become
 * visible in order: a reader that has seen an entry has seen all entries before it.
 */
const append = statement(
  'live_append',
  `
with listening as materialized (
  select user_id from live_listeners
   where user_id = any (:user_ids::uuid[]) and until > now() order by user_id for update
)
insert into live_tail (user_id, webhook_id, type, data, body)
select e.user_id, e.webhook_id, e.type, e.data, e.body
  from unnest(:user_ids::uuid[], :webhook_ids::uuid[], :types::text[], :data::jsonb[], :bodies::bytea[])
         with ordinality as e (user_id, webhook_id, type, data, body, n)
  join listening using (user_id)
 order by e.n`,
  { webhook_ids: 'wh' },
);
