import type { Event } from './decider.js';

/** Stream, version and time of an event that a projection applies. */
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
  /** Aggregate whose streams the projection gets. Absent: all streams. */
  readonly aggregate?: string;
  /**
   * Pure function from a row and an event to the next row. `undefined` stands for no row; returning `undefined` deletes
   * the row.
   */
  readonly evolve: (row: Row | undefined, event: E, at: EventPlace) => Row | undefined;
}
