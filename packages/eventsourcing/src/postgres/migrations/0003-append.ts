import { rfc3339 } from '../outbox/outbox.js';
import type { Migration } from './migrate.js';

export const append: Migration = {
  name: 'eventsourcing/0003_append',

  async up(db) {
    await db.raw(REFUSE_MOVED_STREAM);
    await db.raw(APPEND_EVENTS);
  },
};

const REFUSE_MOVED_STREAM = `
-- Serves appends that do not call append_events; see append-one-statement.ts.
create function refuse_moved_stream(stream text, version integer) returns boolean language plpgsql as $$
begin
  raise exception 'stream moved' using errcode = 'JN001', detail = jsonb_build_object(stream, version);
end $$;
`;

const APPEND_EVENTS = `
-- Stores a batch of appends, all or nothing, and returns the events that it stored. Commands come sorted
-- and each once, parts sorted by stream: every caller locks in the same order, commands before
-- streams, so appends cannot deadlock among themselves.
create function append_events(
  command_ids    uuid[],
  -- For each stream of each append (a part): its command (an index into command_ids; null: nobody can
  -- repeat it), the expected version (n, or 0 none, -1 any, -2 exists), how many events and how many
  -- sequenced records it gets.
  part_command   integer[],
  part_stream    text[],
  part_expected  integer[],
  part_events    integer[],
  part_sequenced integer[],
  part_metadata  jsonb[],
  -- For each event: its part, its number in the part from 1, and the event.
  event_part     integer[],
  event_place    integer[],
  event_ids      uuid[],
  event_types    text[],
  event_schemas  smallint[],
  event_data     jsonb[],
  -- For each record to publish: its part, its number among the sequenced records of the part from 1 (null:
  -- not sequenced), and the record; of the headers the JSON without its closing brace.
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
  -- State of each part before the append: version, counter of published records, tx. Null for a repeat.
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

  -- The time is read after the streams were locked, so that it does not run backwards in one of them.
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
