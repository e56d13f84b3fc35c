import type { Migration } from '../migrate.js';
import { rfc3339 } from '../outbox.js';

export const append: Migration = {
  name: 'eventsourcing/0003_append',

  async up(db) {
    await db.raw(REFUSE_MOVED_STREAM);
    await db.raw(APPEND_EVENTS);
  },

  async down(db) {
    await db.raw('drop function append_events, refuse_moved_stream');
  },
};

const REFUSE_MOVED_STREAM = `
-- For an append that is no call of append_events; see append-one-statement.ts.
create function refuse_moved_stream(stream text, version integer) returns boolean language plpgsql as $$
begin
  raise exception 'stream moved' using errcode = 'JN001', detail = jsonb_build_object(stream, version);
end $$;
`;

export const APPEND_EVENTS = `
-- Stores a batch of appends, all or nothing, and gives the events it stored. Commands come sorted
-- and each once, parts sorted by stream: every caller locks in the same order, commands before
-- streams, so appends cannot deadlock among themselves.
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
  -- not sequenced), and itself.
  record_part    integer[],
  record_place   integer[],
  record_topics  text[],
  record_keys    text[],
  record_types   text[],
  record_headers jsonb[],
  record_payload bytea[]
) returns setof events language plpgsql as $$
declare
  is_new  boolean[];
  found_v integer;
  found_p bigint;
  found_t xid8;
  -- What each part found: version, counter of published records, tx. Null for a repeated command.
  before_version   integer[];
  before_published bigint[];
  stream_tx        xid8[];
  moved jsonb := '{}';
  at    timestamptz;
begin
  -- Waits for an append of the same command that is still under way.
  for c in 1 .. cardinality(command_ids) loop
    insert into commands (command_id) values (command_ids[c]) on conflict do nothing;
    is_new[c] := found;
  end loop;

  for p in 1 .. cardinality(part_stream) loop
    -- A repeat stops here, so it meets no conflict.
    continue when not is_new[part_command[p]];

    insert into streams as s (stream_id, version, published, last_tx)
    values (part_stream[p], part_events[p], part_sequenced[p], pg_current_xact_id())
    on conflict (stream_id) do update set
      version   = s.version + excluded.version,
      published = s.published + excluded.published,
      last_tx   = greatest(s.last_tx, excluded.last_tx)
    returning s.version - part_events[p], s.published - part_sequenced[p], s.last_tx
      into found_v, found_p, found_t;

    before_version[p]   := found_v;
    before_published[p] := found_p;
    stream_tx[p]        := found_t;
    if (part_expected[p] >= 0 and part_expected[p] <> found_v)
       or (part_expected[p] = -2 and found_v = 0) then
      moved := moved || jsonb_build_object(part_stream[p], found_v);
    end if;
  end loop;

  if moved <> '{}' then
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
    insert into outbox (aggregatetype, aggregateid, type, headers, payload)
    select topic, key, type,
           headers || jsonb_strip_nulls(jsonb_build_object(
             'ce_time', ${rfc3339('at')},
             'ce_sequence', (before_published[part] + place)::text)),
           payload
      from unnest(record_part, record_place, record_topics, record_keys, record_types,
                  record_headers, record_payload)
        as u (part, place, topic, key, type, headers, payload)
     where before_version[part] is not null;
  end if;
end $$;
`;
