import type pg from 'pg';
import type { Event, RecordedEvent } from '../../index.js';

/** A read model that is written in the transaction of its events, so a request reads its own writes. */
export interface InlineProjection<E extends Event> {
  /** Runs while the streams of these events are locked. Throwing takes the events back as well. */
  apply(tx: pg.ClientBase, events: readonly RecordedEvent<E>[]): Promise<void>;
}
