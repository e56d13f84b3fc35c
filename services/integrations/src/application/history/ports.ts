import type { EventMetadata } from '@junction/eventsourcing';
import type { ConnectionEvent } from '../../domain/connection/events.js';
import type { RecordedRefresh } from '../refreshing/ports.js';

export interface HistoryReads {
  /** Returns events of a connection, the newest first: those before this version of its stream. */
  events(connectionId: string, page: HistorySlice): Promise<readonly RecordedEvent[]>;
  /** Returns refreshes of a connection, the newest first: those before this version of its credentials. */
  refreshes(connectionId: string, page: HistorySlice): Promise<readonly RecordedRefresh[]>;
}

export interface HistorySlice {
  readonly before: number;
  readonly limit: number;
}

export interface RecordedEvent {
  /** Version of the event in the stream, counted from 1. */
  readonly version: number;
  readonly event: ConnectionEvent;
  readonly actor: EventMetadata['actor'];
}
