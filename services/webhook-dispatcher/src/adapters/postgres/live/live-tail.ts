import type pg from 'pg';
import type { LiveTailRows } from '../../../application/live/ports.js';
import { type OpenSealed, type Unlock, USER_KEY } from '../sealed-rows.js';
import { statement } from '../statement.js';

/** Time after the last sign of a listener for which the tail is still written, so that the listener can come back. */
const LISTENING = `interval '5 minutes'`;

interface EntryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly type: string;
  readonly data: object;
  readonly body: Buffer | null;
}

export interface LiveTailKeys {
  readonly unlock: Unlock;
  readonly openSealed: OpenSealed;
}

/** Stores the live tail: listeners see the entries of every replica, whichever replica they listen on. */
export const liveTail = (pool: pg.Pool, { unlock, openSealed }: LiveTailKeys): LiveTailRows => ({
  async listen(userId, topic) {
    await listen(pool, { user_id: userId, events: topic === 'events' });
  },

  async listeners() {
    const { rows } = await readListeners(pool);
    return rows.map(({ user_id: userId, events }) => ({ userId, events }));
  },

  async append(entries) {
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

  async lastId(userId) {
    const { rows } = await readLast(pool, { user_id: userId });
    return rows[0]?.id ?? '0';
  },

  hasReached: async (id) => hasReached(pool, id),

  async read(userId, { after, webhookId, topic, limit }) {
    const { rows } = await read(pool, {
      user_id: userId,
      after,
      webhook_id: webhookId ?? null,
      is_event: topic === 'events',
      limit,
    });
    const bodies = await openSealed(
      rows.map(({ body }) => ({
        userId,
        bytes: body ?? Buffer.alloc(0),
        keyId: body === null ? null : USER_KEY,
        place: placeOf(userId),
      })),
    );
    return rows.map((row, index) => toEntry(userId, row, bodies[index]));
  },

  async purge() {
    await pool.query(`delete from live_tail where at < now() - ${LISTENING}`);
    await pool.query('delete from live_listeners where until < now()');
  },
});

/** Sealed bodies open nowhere else. */
const placeOf = (userId: string): string => `live_tail.body/${userId}`;

const readListeners = statement<{ user_id: string; events: boolean }>(
  'live_listeners',
  'select user_id, coalesce(events_until > now(), false) as events from live_listeners where until > now()',
);

const listen = statement(
  'live_listen',
  `insert into live_listeners (user_id, until, events_until)
   values (:user_id, now() + ${LISTENING}, case when :events::boolean then now() + ${LISTENING} end)
   on conflict (user_id) do update
      set until = excluded.until,
          events_until = coalesce(excluded.events_until, live_listeners.events_until)`,
);

const readLast = statement<{ id: string | null }>(
  'live_last',
  'select max(id) as id from live_tail where user_id = :user_id',
);

/** Compares with the numbers that were given out, not with the newest row: rows are purged after minutes. */
async function hasReached(pool: pg.Pool, id: string): Promise<boolean> {
  const { rows } = await readReached(pool, { number: id });
  return rows[0]?.reached === true;
}

const readReached = statement<{ reached: boolean }>(
  'live_reached',
  `select :number::bigint <= coalesce(
            pg_sequence_last_value(pg_get_serial_sequence('live_tail', 'id')::regclass), 0) as reached`,
);

const read = statement<EntryRow>(
  'live_read',
  `select id, webhook_id, type, data, body from live_tail
    where user_id = :user_id and id > :after and (:webhook_id::uuid is null or webhook_id = :webhook_id)
      and (type = 'event.received') = :is_event
    order by id limit :limit`,
  { webhook_id: 'wh' },
);

const toEntry = (
  userId: string,
  { id, webhook_id, type, data, body }: EntryRow,
  opened: Buffer | undefined,
) => ({
  id,
  userId,
  webhookId: webhook_id,
  type,
  data,
  body: body === null ? undefined : opened,
});

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
