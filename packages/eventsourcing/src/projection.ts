import type { Event } from './decider.js';

/** Where in the store the event stands that a projection is shown. */
export interface EventPlace {
  readonly streamId: string;
  readonly version: number;
  readonly recordedAt: Date;
}

/** A read model is a fold too: one row for each stream, and no database in sight. */
export interface Projection<Row extends object, E extends Event> {
  readonly table: string;
  /** The column that holds the id part of `<aggregate>-<id>`. It needs a unique index. */
  readonly key: string;
  /** Only streams of this aggregate are shown to it. Absent: all of them. */
  readonly aggregate?: string;
  /** Pure. No row yet: `undefined`; giving `undefined` deletes the row. */
  readonly evolve: (row: Row | undefined, event: E, at: EventPlace) => Row | undefined;
}
