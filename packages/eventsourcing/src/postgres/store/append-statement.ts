import type pg from 'pg';
import type { ExpectedVersion } from '../../index.js';

/** A column of a table; all columns of a table have the same length. Indexes count from 1. */
type Column<T> = T[];

/** Arguments of the function append_events, whose migration explains them. */
export interface AppendColumns {
  /** Command ids, sorted, each once. */
  readonly commands: Column<string>;
  /** Appends to single streams, sorted by stream. */
  readonly parts: {
    readonly command: Column<number | null>;
    readonly streamId: Column<string>;
    readonly expected: Column<number>;
    readonly events: Column<number>;
    readonly sequenced: Column<number>;
    readonly metadata: Column<string>;
  };
  readonly events: {
    readonly part: Column<number>;
    readonly place: Column<number>;
    readonly eventId: Column<string>;
    readonly type: Column<string>;
    readonly schemaVersion: Column<number>;
    readonly data: Column<string>;
  };
  readonly records: {
    readonly part: Column<number>;
    readonly place: Column<number | null>;
    readonly topic: Column<string>;
    readonly key: Column<string>;
    readonly type: Column<string>;
    readonly headers: Column<string>;
    readonly payload: Column<Buffer>;
  };
}

/** Row that the statement returns for each event it stored. */
export interface StoredPlace {
  readonly event_id: string;
  readonly version: number;
  readonly position: string;
  readonly tx: string;
  readonly recorded_at: Date;
}

export const expectedCode = (expected: ExpectedVersion): number =>
  typeof expected === 'number' ? expected : { none: 0, any: -1, exists: -2 }[expected];

const APPEND = `
select event_id, version, position, tx, recorded_at
  from append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                     $19, $20)`;

/** Returns the statement of a whole append: one round trip, prepared once for each connection by its name. */
export const appendStatement = ({
  commands,
  parts,
  events,
  records,
}: AppendColumns): pg.QueryConfig => ({
  name: 'junction_append',
  text: APPEND,
  values: [
    commands,
    parts.command,
    parts.streamId,
    parts.expected,
    parts.events,
    parts.sequenced,
    parts.metadata,
    events.part,
    events.place,
    events.eventId,
    events.type,
    events.schemaVersion,
    events.data,
    records.part,
    records.place,
    records.topic,
    records.key,
    records.type,
    records.headers,
    records.payload,
  ],
});
