import { eventStoreMigrations, type Migration } from '@junction/eventsourcing/postgres';
import { messagingMigrations } from '@junction/messaging';

const tables: Migration = {
  name: 'chaos/0001_tables',

  async up(db) {
    await db.raw(`
      create table counts_inline (
        id text primary key, count integer not null, sum integer not null, version integer not null,
        digest text not null
      );

      -- Effects of consumers, in the order in which they came. No constraint keeps a second effect out: the
      -- run is to prove that there is none.
      create table effects (
        n             bigint  not null generated always as identity,
        consumer      text    not null,
        by            text    not null,
        topic         text    not null,
        partition     integer not null,
        record_offset bigint  not null,
        key           text    not null,
        event_id      uuid    not null,
        fresh         boolean not null
      );

      -- Ids that the consumer of a topic without ce_sequence has met: it recognises duplicates by them.
      create table met (consumer text, event_id uuid, primary key (consumer, event_id));

      -- Every move of a stored offset, in the order of the commits: the row that moves stays locked until then.
      create table offset_moves (
        n           bigint  not null generated always as identity,
        consumer    text    not null,
        topic       text    not null,
        partition   integer not null,
        from_offset bigint  not null,
        to_offset   bigint  not null,
        is_anew     boolean not null, -- it counts in another topic from then on
        by          text    not null
      );
      create function note_offset_move() returns trigger language plpgsql as $$
      begin
        insert into offset_moves (consumer, topic, partition, from_offset, to_offset, is_anew, by)
        values (new.consumer, new.topic, new.partition, old.next_offset, new.next_offset,
                old.topic_id is distinct from new.topic_id, current_setting('application_name'));
        return null;
      end $$;
      create trigger offset_moved after update on consumer_offsets
        for each row execute function note_offset_move();
    `);
  },
};

/** Everything that the processes of a run need. */
export const chaosMigrations: readonly Migration[] = [
  ...eventStoreMigrations,
  ...messagingMigrations,
  tables,
];
