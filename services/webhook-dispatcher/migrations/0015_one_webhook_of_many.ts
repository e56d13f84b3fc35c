import { createIndex, type Migration } from '@junction/eventsourcing/postgres';

/**
 * Reads of one webhook, however much of a table it has: an index of outcomes by status and by whether their delivery
 * was sent again, so that none is looked up to be passed over, and plans that do not follow which share of `pending` is
 * whose. Where 0013 ran before it was divided, the index and the marks are there.
 */
export const oneWebhookOfMany: Migration = {
  name: 'webhooks/0015_one_webhook_of_many',
  inTransaction: false,

  async up(db) {
    await db.raw(`create index if not exists outcomes_by_status on only outcomes (${BY_STATUS})`);
    const { rows } = await db.raw<{ rows: readonly DayOfOutcomes[] }>(DAYS);
    for (const { day, partition, has_index } of rows) {
      await db.raw(mark(day));
      await db.raw(endHolds(day));
      if (has_index) continue;
      // As Postgres names the index of a partition that is yet to come.
      const index = `${partition}_webhook_id_status_sent_again_delivery_id_idx`;
      await createIndex(db, index, `${partition} (${BY_STATUS})`);
      await db.raw(`alter index outcomes_by_status attach partition ${index}`);
    }
    await db.raw('drop index if exists outcomes_held');
    await db.raw(NO_SHARES);
  },
};

const BY_STATUS = 'webhook_id, status, sent_again, delivery_id';

interface DayOfOutcomes {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly partition: string;
  readonly has_index: boolean;
}

const DAYS = `
select c.relname as partition, to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day,
       exists (select from pg_index i join pg_inherits of_parent on of_parent.inhrelid = i.indexrelid
                where i.indrelid = c.oid and of_parent.inhparent = 'outcomes_by_status'::regclass) as has_index
  from pg_inherits p join pg_class c on c.oid = p.inhrelid
 where p.inhparent = 'outcomes'::regclass order by 1`;

// The first delivery lies on the day of its id or beside it: the clocks that made and filed it may disagree.
const mark = (day: string): string => `
update outcomes o set sent_again = true
  from (select original_id as delivery_id from redeliveries
         where (uuid_extract_timestamp(original_id) at time zone 'utc')::date between date '${day}' - 1 and date '${day}' + 1
         union
        select r.delivery_id from redeliveries r
         where r.day = '${day}'
           and exists (select from redeliveries later
                        where later.original_id = r.original_id and later.delivery_id > r.delivery_id)) earlier
 where o.day = '${day}' and o.delivery_id = earlier.delivery_id and not o.sent_again`;

/** A success that was under way when its delivery was held ends that. */
const endHolds = (day: string): string => `
delete from outcomes o
 where o.day = '${day}' and o.status = 'held'
   and exists (select from attempts a
                where a.day = o.day and a.delivery_id = o.delivery_id and a.result = 'succeeded')`;

// Where statistics know that one webhook has nearly all that waits, ids are read in the order of the primary key, past
// all of that webhook's rows for any other one. Without them each is expected to have a small part.
const NO_SHARES = `
alter table pending alter column webhook_id set statistics 0;
select pg_clear_attribute_stats('public', 'pending', 'webhook_id', false)`;
