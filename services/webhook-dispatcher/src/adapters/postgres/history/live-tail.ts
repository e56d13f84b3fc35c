import type pg from 'pg';
import type { LiveTailRows } from '../../../application/ports.js';
import { statement } from '../statement.js';

/** For how long after its last sign the tail of a listener is written: to come back within. */
const LISTENING = `interval '5 minutes'`;

interface EntryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly type: string;
  readonly data: object;
}

/** What listeners see, on whichever replica it happens and on whichever they listen. */
export const liveTail = (pool: pg.Pool): LiveTailRows => ({
  async listen(userId) {
    await listen(pool, { user_id: userId });
  },

  async listeners() {
    const { rows } = await readListeners(pool);
    return rows.map((row) => row.user_id);
  },

  async append(entries) {
    await append(pool, {
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

  async read(userId, { after, webhookId, limit }) {
    const { rows } = await read(pool, {
      user_id: userId,
      after,
      webhook_id: webhookId ?? null,
      limit,
    });
    return rows.map((row) => toEntry(userId, row));
  },

  async purge() {
    await pool.query(`delete from live_tail where at < now() - ${LISTENING}`);
    await pool.query('delete from live_listeners where until < now()');
  },
});

const readListeners = statement<{ user_id: string }>(
  'live_listeners',
  'select user_id from live_listeners where until > now()',
);

const listen = statement(
  'live_listen',
  `insert into live_listeners (user_id, until) values (:user_id, now() + ${LISTENING})
   on conflict (user_id) do update set until = excluded.until`,
);

const readLast = statement<{ id: string | null }>(
  'live_last',
  'select max(id) as id from live_tail where user_id = :user_id',
);

const read = statement<EntryRow>(
  'live_read',
  `select id, webhook_id, type, data from live_tail
    where user_id = :user_id and id > :after and (:webhook_id::uuid is null or webhook_id = :webhook_id)
    order by id limit :limit`,
);

const toEntry = (userId: string, { id, webhook_id, type, data }: EntryRow) => ({
  id,
  userId,
  webhookId: webhook_id,
  type,
  data,
});

/**
 * Who appends for a listener holds their row until the commit, so that their numbers become visible in
 * order: a reader that has seen one has seen all before it.
 */
const append = statement(
  'live_append',
  `
with listening as materialized (
  select user_id from live_listeners
   where user_id = any (:user_ids::uuid[]) and until > now() order by user_id for update
)
insert into live_tail (user_id, webhook_id, type, data)
select e.user_id, e.webhook_id, e.type, e.data
  from unnest(:user_ids::uuid[], :webhook_ids::uuid[], :types::text[], :data::jsonb[])
         with ordinality as e (user_id, webhook_id, type, data, n)
  join listening using (user_id)
 order by e.n`,
);
