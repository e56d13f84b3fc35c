import type pg from 'pg';
import type { LiveTailRows } from '../../../application/live.js';
import { fromStoredId, toStoredId } from '../stored-id.js';

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
    await pool.query({ name: 'live_listen', text: LISTEN, values: [userId] });
  },

  async listeners() {
    const { rows } = await pool.query<{ user_id: string }>({
      name: 'live_listeners',
      text: 'select user_id from live_listeners where until > now()',
    });
    return rows.map((row) => row.user_id);
  },

  async append(entries) {
    await pool.query({
      name: 'live_append',
      text: APPEND,
      values: [
        entries.map(({ userId }) => userId),
        entries.map(({ webhookId }) => toStoredId(webhookId)),
        entries.map(({ type }) => type),
        entries.map(({ data }) => JSON.stringify(data)),
      ],
    });
  },

  async lastId(userId) {
    const { rows } = await pool.query<{ id: string | null }>({
      name: 'live_last',
      text: 'select max(id) as id from live_tail where user_id = $1',
      values: [userId],
    });
    return rows[0]?.id ?? '0';
  },

  async read(userId, { after, webhookId, limit }) {
    const { rows } = await pool.query<EntryRow>({
      name: 'live_read',
      text: READ,
      values: [userId, after, webhookId === undefined ? null : toStoredId(webhookId), limit],
    });
    return rows.map((row) => toEntry(userId, row));
  },

  async purge() {
    await pool.query(`delete from live_tail where at < now() - ${LISTENING}`);
    await pool.query('delete from live_listeners where until < now()');
  },
});

const LISTEN = `
insert into live_listeners (user_id, until) values ($1, now() + ${LISTENING})
on conflict (user_id) do update set until = excluded.until`;

const READ = `
select id, webhook_id, type, data from live_tail
 where user_id = $1 and id > $2 and ($3::uuid is null or webhook_id = $3)
 order by id limit $4`;

const toEntry = (userId: string, { id, webhook_id, type, data }: EntryRow) => ({
  id,
  userId,
  webhookId: fromStoredId('wh', webhook_id),
  type,
  data,
});

/**
 * Who appends for a listener holds their row until the commit, so that their numbers become visible in
 * order: a reader that has seen one has seen all before it.
 */
const APPEND = `
with listening as materialized (
  select user_id from live_listeners
   where user_id = any ($1::uuid[]) and until > now() order by user_id for update
)
insert into live_tail (user_id, webhook_id, type, data)
select e.user_id, e.webhook_id, e.type, e.data
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[])
         with ordinality as e (user_id, webhook_id, type, data, n)
  join listening using (user_id)
 order by e.n`;
