import type { LeaseTable, Members } from '@junction/leases';
import type { Driver, DriverPorts } from './driver.js';
import type { DueReaderOptions } from './due-reader.js';
import type { ClassName } from './scheduler/state.js';
import type { Reading } from './shard-shares.js';

export interface DispatchOptions extends Omit<DriverPorts, 'epochOf' | 'wakeReader'> {
  readonly owner: string;
  readonly shardLeases: LeaseTable<number>;
  readonly replicas: Members<Reading>;
  readonly readDue: DueReaderOptions['read'];
  readonly readInTurns: DueReaderOptions['readInTurns'];
  readonly readOf: DueReaderOptions['readOf'];
  readonly readOrdered: DueReaderOptions['readOrdered'];
  readonly changedWebhooks: DueReaderOptions['changed'];
  /** Called when this replica gained or lost so many shards. */
  readonly onShards: (change: 'gained' | 'lost', count: number) => void;
}

/** Sending of deliveries. */
export interface Dispatch
  extends Pick<Driver, 'ready' | 'accept' | 'offerAhead' | 'stored' | 'released'> {
  /** Has the webhook loaded again here, and notifies the other replicas. */
  webhookChanged(webhookId: string): void;
  /** Has the reader look at once, because another replica calls. */
  wake(): void;
  /** Sets the partitions of events that this replica consumes: it should best send for their users. */
  consuming(partitions: () => readonly number[]): void;
  /** Returns whether the leases are in force. */
  healthy(): boolean;
  /** Returns how many shards this replica sends for. */
  shards(): number;
  /** Returns the requests under way, by whether their receivers are known to answer soon. */
  underWay(): Readonly<Record<ClassName, number>>;
  /** Sends nothing more, finishes and writes what is under way, and gives up the shards. */
  stop(): Promise<void>;
}
