import type pg from 'pg';
import type { Event } from '../../index.js';
import { openHeaders, rfc3339 } from '../outbox/outbox.js';
import { expectedCode } from './append-statement.js';
import type { PreparedAppend, PreparedEvent } from './prepared-append.js';

/** The usual append: one event for one stream, and at most one record of it. */
interface SingleAppend<E extends Event> {
  readonly append: PreparedAppend<E>;
  readonly part: PreparedAppend<E>['parts'][number];
  readonly event: PreparedEvent<E>;
}

/** Returns the statement that appends one event; undefined when the batch holds more. */
export function appendOneStatement<E extends Event>(
  batch: readonly PreparedAppend<E>[],
): pg.QueryConfig | undefined {
  const single = singleOf(batch);
  if (!single) return undefined;

  const { append, part, event } = single;
  const [record] = event.records;
  const hasCommand = append.isRepeatable;
  const shape = `${hasCommand ? '_command' : ''}${record ? '_record' : ''}`;
  const values: unknown[] = [
    part.streamId,
    expectedCode(part.expected),
    record?.sequenced === true ? 1 : 0,
    JSON.stringify(append.metadata),
    event.eventId,
    event.event.type,
    event.schemaVersion,
    event.json,
  ];
  if (hasCommand) values.push(append.commandId);
  if (record) {
    const { topic, key, type, headers, payload } = record;
    values.push(topic, key, type, openHeaders(headers), payload);
  }
  return { name: `junction_append_one${shape}`, text: textOf(hasCommand, Boolean(record)), values };
}

function singleOf<E extends Event>(
  batch: readonly PreparedAppend<E>[],
): SingleAppend<E> | undefined {
  const [append] = batch;
  const [part] = append?.parts ?? [];
  const [event] = part?.events ?? [];
  if (!append || !part || !event || batch.length > 1) return undefined;
  const isSingle = append.parts.length === 1 && part.events.length === 1;
  return isSingle && event.records.length <= 1 ? { append, part, event } : undefined;
}

const texts = new Map<string, string>();

/** Builds the text once for each shape, so that an append pays only for the parts that it has. */
function textOf(hasCommand: boolean, hasRecord: boolean): string {
  const shape = `${hasCommand} ${hasRecord}`;
  const text = texts.get(shape) ?? sqlOf(hasCommand, hasRecord);
  texts.set(shape, text);
  return text;
}

// The comments of append_events hold here too: the command first, so that a repeat waits for the first
// one and meets no conflict; then the head row, whose lock hands out version, counter and time.
const sqlOf = (hasCommand: boolean, hasRecord: boolean): string => `
with ${hasCommand ? COMMAND : ''}
head as (
  insert into streams as s (stream_id, version, published, last_tx)
  select $1::text, 1, $3::integer, pg_current_xact_id() ${hasCommand ? 'from command' : ''}
  on conflict (stream_id) do update set
    version   = s.version + excluded.version,
    published = s.published + excluded.published,
    last_tx   = greatest(s.last_tx, excluded.last_tx)
  returning s.version, s.published, s.last_tx,
            date_trunc('milliseconds', clock_timestamp()) as at
)
${hasRecord ? recordFrom(hasCommand ? 10 : 9) : ''}
insert into events
  (stream_id, version, tx, event_id, type, schema_version, data, metadata, recorded_at)
select $1, version, last_tx, $5::uuid, $6::text, $7::smallint, $8::jsonb, $4::jsonb, at
  from head
 where case when ($2::integer < 0 or $2 = version - 1) and ($2 <> -2 or version > 1) then true
            else refuse_moved_stream($1, version - 1) end
returning event_id, version, position, tx, recorded_at`;

const COMMAND = `
command as (
  insert into commands (command_id) values ($9::uuid) on conflict do nothing returning 1
),`;

const recordFrom = (n: number): string => `
, record as (
  insert into outbox (aggregatetype, aggregateid, type, headers, payload)
  select $${n}::text, $${n + 1}::text, $${n + 2}::text,
         ($${n + 3} || ',"ce_time":"' || ${rfc3339('at')} || '"'
           || case $3 when 1 then ',"ce_sequence":"' || published || '"' else '' end || '}')::json,
         $${n + 4}::bytea
    from head
)`;
