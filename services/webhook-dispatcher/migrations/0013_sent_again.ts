import type { Migration } from '@junction/eventsourcing/postgres';

/**
 * Whether the delivery of an outcome was sent again. What is there already is marked by 0015, which keeps nobody from
 * the table meanwhile.
 */
export const sentAgain: Migration = {
  name: 'webhooks/0013_sent_again',

  async up(db) {
    await db.raw(MARK);
    await db.raw('create index operations_of_webhook on operations (webhook_id, operation_id)');
  },
};

// A trigger, so that the release before marks what it sends again as well, while both run side by side.
const MARK = `
-- Whether a later delivery repeats this one.
alter table outcomes add column sent_again boolean not null default false;

create function mark_sent_again() returns trigger language plpgsql
  -- A session plans this once, maybe while the tables are small, and keeps the plan while they grow.
  set enable_seqscan = off as $$
declare
  days date[];
  ids  uuid[];
begin
  -- The first delivery lies on the day of its id or beside it: the clocks that made and filed it may disagree.
  select array_agg(distinct day), array_agg(distinct delivery_id) into days, ids from (
    select (uuid_extract_timestamp(original_id) at time zone 'utc')::date + n as day, original_id as delivery_id
      from added cross join generate_series(-1, 1) n
    union all
    select r.day, r.delivery_id
      from added a join redeliveries r on r.original_id = a.original_id and r.delivery_id < a.delivery_id) earlier;
  update outcomes set sent_again = true
   where day = any (days) and delivery_id = any (ids) and not sent_again;
  return null;
end $$;

create trigger redeliveries_mark_sent_again after insert on redeliveries
  referencing new table as added for each statement execute function mark_sent_again();
`;
