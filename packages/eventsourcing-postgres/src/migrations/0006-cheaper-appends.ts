import type { Migration } from '../migrate.js';
import { rfc3339 } from '../outbox.js';
import { APPEND_EVENTS } from './0003-append.js';

export const cheaperAppends: Migration = {
  name: 'eventsourcing/0006_cheaper_appends',

  async up(db) {
    await db.raw(LESS_TO_CHECK);
    await db.raw(VIRTUAL_LANE);
    await db.raw(HEADERS_AS_WRITTEN);
    await db.raw('drop function append_events');
    await db.raw(APPEND_EVENTS_AS_SETS);
  },

  async down(db) {
    await db.raw('drop function append_events');
    await db.raw(APPEND_EVENTS);
    await db.raw(`
      drop index outbox_by_lane;
      alter table outbox drop column lane;
      alter table outbox add column lane smallint not null
        generated always as ((hashtext(aggregateid) & 15)::smallint) stored;
      create index outbox_by_lane on outbox (lane, id);
      alter table outbox alter column headers type jsonb;

      alter table events
        add constraint events_version_check check (version > 0),
        add constraint events_schema_version_check check (schema_version > 0);
      alter table streams
        add constraint streams_version_check check (version > 0),
        add constraint streams_published_check check (published >= 0);
    `);
  },
};

// Postgres reads and plans each check again for every statement. Appends alone write these tables: they
// add to what they find, from zero, and verifyStreams looks for versions that do not begin with 1.
const LESS_TO_CHECK = `
alter table streams drop constraint streams_version_check, drop constraint streams_published_check;
alter table events drop constraint events_version_check, drop constraint events_schema_version_check;
`;

// The same for the expression of a stored column; one that is computed when it is read costs an insert
// only its entry in the index. Who names the column in a query finds the index by its expression.
const VIRTUAL_LANE = `
alter table outbox drop column lane;
alter table outbox add column lane smallint
  generated always as ((hashtext(aggregateid) & 15)::smallint) virtual;
create index outbox_by_lane on outbox (((hashtext(aggregateid) & 15)::smallint), id);
`;

// They are written once, read once and never searched: nobody needs them taken apart between.
const HEADERS_AS_WRITTEN = 'alter table outbox alter column headers type json';

const APPEND_EVENTS_AS_SETS = `
-- As before, with one statement for all commands and one for all streams instead of one for each.
create function append_events(
  command_ids    uuid[],
  -- For each stream of each append: its command (a place in command_ids; null: nobody can repeat
  -- it), what is expected of it (n, or 0 none, -1 any, -2 exists), how many events and how many
  -- sequenced records it gets.
  part_command   integer[],
  part_stream    text[],
  part_expected  integer[],
  part_events    integer[],
  part_sequenced integer[],
  part_metadata  jsonb[],
  -- For each event: its part, its place in it from 1, and itself.
  event_part     integer[],
  event_place    integer[],
  event_ids      uuid[],
  event_types    text[],
  event_schemas  smallint[],
  event_data     jsonb[],
  -- For each record to publish: its part, its place among the sequenced ones of it from 1 (null:
  -- not sequenced), and itself; of the headers the JSON without its closing brace.
  record_part    integer[],
  record_place   integer[],
  record_topics  text[],
  record_keys    text[],
  record_types   text[],
  record_headers text[],
  record_payload bytea[]
) returns setof events language plpgsql as $$
declare
  new_commands uuid[];
  -- What each part found: version, counter of published records, tx. Null for a repeated command.
  before_version   integer[];
  before_published bigint[];
  stream_tx        xid8[];
  moved jsonb;
  at    timestamptz;
  at_text text;
begin
  -- Waits for an append of the same command that is still under way.
  with stored as (
    insert into commands (command_id) select unnest(command_ids) on conflict do nothing
    returning command_id
  )
  select array_agg(command_id) into new_commands from stored;

  with part as (
    select u.*,
           sum(events)    over so_far as events_so_far,    sum(events)    over stream as events_in_all,
           sum(sequenced) over so_far as sequenced_so_far, sum(sequenced) over stream as sequenced_in_all
      from unnest(part_command, part_stream, part_expected, part_events, part_sequenced)
           with ordinality as u (command, stream_id, expected, events, sequenced, place)
     -- A repeat stops here, so it meets no conflict.
     where command is null or command_ids[command] = any (new_commands)
    window stream as (partition by stream_id), so_far as (partition by stream_id order by place)
  ), head as (
    insert into streams as s (stream_id, version, published, last_tx)
    select stream_id, sum(events), sum(sequenced), pg_current_xact_id()
      from part group by stream_id order by min(place)
    on conflict (stream_id) do update set
      version   = s.version + excluded.version,
      published = s.published + excluded.published,
      last_tx   = greatest(s.last_tx, excluded.last_tx)
    returning s.stream_id, s.version, s.published, s.last_tx
  ), found as (
    select place, stream_id, expected, last_tx,
           (version - events_in_all + events_so_far - events)::integer as version,
           (published - sequenced_in_all + sequenced_so_far - sequenced)::bigint as published
      from part join head using (stream_id)
  )
  select array_agg(version order by place), array_agg(published order by place),
         array_agg(last_tx order by place),
         jsonb_object_agg(stream_id, version order by place)
           filter (where (expected >= 0 and expected <> version) or (expected = -2 and version = 0))
    into before_version, before_published, stream_tx, moved
    from generate_subscripts(part_stream, 1) as place left join found using (place);

  if moved is not null then
    raise exception 'stream moved' using errcode = 'JN001', detail = moved;
  end if;

  -- Read after the streams were locked, so that time does not run backwards in one of them.
  at := date_trunc('milliseconds', clock_timestamp());

  -- A scan of unnest gives its rows in the order of the arrays, and positions follow it.
  return query
  insert into events as e
    (stream_id, version, tx, event_id, type, schema_version, data, metadata, recorded_at)
  select part_stream[part], before_version[part] + place, stream_tx[part], id, type, schema, data,
         part_metadata[part], at
    from unnest(event_part, event_place, event_ids, event_types, event_schemas, event_data)
      as u (part, place, id, type, schema, data)
   where before_version[part] is not null
  returning e.*;

  if cardinality(record_part) > 0 then
    at_text := ${rfc3339('at')};
    insert into outbox (aggregatetype, aggregateid, type, headers, payload)
    select topic, key, type,
           (headers || ',"ce_time":"' || at_text || '"'
             || case when place is null then ''
                     else ',"ce_sequence":"' || before_published[part] + place || '"' end || '}')::json,
           payload
      from unnest(record_part, record_place, record_topics, record_keys, record_types,
                  record_headers, record_payload)
        as u (part, place, topic, key, type, headers, payload)
     where before_version[part] is not null;
  end if;
end $$;
`;
