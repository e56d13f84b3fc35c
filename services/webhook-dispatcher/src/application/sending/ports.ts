import type { LeaseTable, Members } from '@junction/eventsourcing/leases';
import type { AttemptRecord, BatchName, Job, Rest, Result, Target } from '../job.js';
import type { DueReads } from './due-work.js';
import type { Ended } from './judge.js';
import type { Reading } from './shard-shares.js';

/** Breakers of the failing webhooks; a healthy webhook has none. */
export interface Circuits {
  /**
   * Begins an attempt. Returns the function to call with whether the attempt failed, if it is the probe of a circuit;
   * undefined: the end of the attempt is to be counted.
   */
  probe(webhookId: string): Probe | undefined;
  /** Counts an attempt that was no probe. The webhook's breaker is made at the first failure. */
  count(webhookId: string, isFailing: boolean): void;
  /** Returns whether one more attempt may go out while so many are under way. */
  permits(webhookId: string, underWay: number): boolean;
  /** Returns whether the circuit is open, so that the webhook rests until a probe is due. */
  isOpen(webhookId: string): boolean;
  /**
   * Restores a circuit that its last owner left open. Knowledge that this replica has gained since is kept, unless the
   * webhook's owner requested a probe after the circuit opened.
   */
  restore(webhookId: string, rest: Rest): void;
  /** Drops the webhook's breaker. */
  drop(webhookId: string): void;
  stop(): void;
}

export type Probe = (isFailing: boolean) => void;

export type CircuitChange =
  /** Repeated after each probe that fails. */
  ({ readonly to: 'open' } & Rest) | { readonly to: 'half-open' } | { readonly to: 'closed' };

/** Request that was sent last, whose end opened or closed the circuit. */
export interface LastSent {
  /** Kind of the event. */
  readonly kind: string;
  /** Version of the webhook to which the request was sent. */
  readonly version: number;
}

export type OnCircuitChange = (
  webhookId: string,
  change: CircuitChange,
  lastSent?: LastSent,
) => void;

/** Called with the record of an attempt; or with an error of ours, by which there is none. */
export type OnEnded = (record: AttemptRecord | undefined, error?: unknown) => void;

/** Ports of the driver. */
export interface DriverPorts {
  /** Returns the epoch of the shard's lease; undefined: this replica must not send for the shard now. */
  readonly epochOf: (shard: number) => string | undefined;
  /** Sends a request, and calls `ended` once: every way in which an attempt can end is a record. */
  readonly send: (job: Job, target: Target, ended: OnEnded) => void;
  readonly judge: (ended: Ended) => Result;
  /**
   * Writes of results, by batch. Each writes all results or throws, and may be called again with the same results.
   * `exhausted` also publishes and notifies the ends, `refused` adds the notices that follow, and `gone` disables the
   * webhooks.
   */
  readonly write: Readonly<Record<BatchName, (results: readonly Result[]) => Promise<void>>>;
  readonly circuits: (onChange: OnCircuitChange) => Circuits;
  readonly onCircuitChange: OnCircuitChange;
  readonly loadTargets: (ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>;
  /** Ends what still waits for a webhook that is disabled or deleted. */
  readonly endPending: (webhookId: string, status: 'held' | 'cancelled') => void;
  /** Notifies the other replicas: something is due, a webhook changed, or a shard is free. */
  readonly notifyOthers: () => void;
  /** Wakes the reader, since there is room again for what waits in the table. */
  readonly wakeReader: () => void;
  readonly monotonicMs: () => number;
  /** Number of sockets that attempts may have at once. Default: as many as the scheduler ever uses. */
  readonly sockets?: number;
  readonly onError: (error: unknown) => void;
}

/** Ports of the whole dispatch. */
export interface DispatchOptions extends Omit<DriverPorts, 'epochOf' | 'wakeReader'>, DueReads {
  /** Name of this replica. */
  readonly owner: string;
  readonly shardLeases: LeaseTable<number>;
  readonly replicas: Members<Reading>;
  /** Called when this replica gained or lost so many shards. */
  readonly onShards: (change: 'gained' | 'lost', count: number) => void;
}

/** Notifications between the replicas. They are hints, since each replica also looks by itself. */
export interface Notifications {
  notify(topic: string): void;
  /** Calls back on each notification. Returns a function that ends the listening. */
  listen(topic: string, onNotified: () => void): () => void;
}

/** Sending of deliveries. */
export interface Dispatch {
  /** Takes in jobs whose rows are committed. */
  accept(jobs: readonly Job[]): void;
  /**
   * Offers a job whose row is not written yet. Returns whether the scheduler took it, because it can be sent soon.
   * `decided` is called once: with the result of the attempt if that ends before `stored` is called, or with `removed`
   * when the job is removed unsent; then the caller stores it as pending, and it is found in the table. Before that,
   * `decided` is called with `late` when the job has been under way for half a second.
   */
  offerAhead(job: Job, decided: (result: Result | 'removed' | 'late') => void): boolean;
  /**
   * Treats these jobs, whose rows are committed as pending, like any other from here on. Results that `decided` was
   * called with and that are no success are handed in here, to be written as all results are.
   */
  stored(jobs: readonly Job[], results: readonly Result[]): void;
  /**
   * Drops jobs that were sent ahead and not stored as pending from what is in hand: their success is committed, or they
   * are given up.
   */
  released(jobs: readonly Job[]): void;
  /**
   * Resolves when more may be taken in; within half a second in any case, so that one stuck webhook does not hold up
   * all.
   */
  ready(): Promise<void>;
  /** Has the webhook loaded again here, and notifies the other replicas. */
  webhookChanged(webhookId: string): void;
  /** Has the reader look at once, because another replica calls. */
  wake(): void;
  /** Has the readers of all replicas look at once. */
  wakeAll(): void;
  /** Sets the partitions of events that this replica consumes: it should best send for their users. */
  consuming(partitions: () => readonly number[]): void;
  /** Returns whether the leases are in force. */
  healthy(): boolean;
  /** Returns how many shards this replica sends for. */
  shards(): number;
  /** Returns the requests under way, by whether their receivers are known to answer soon. */
  underWay(): { readonly responsive: number; readonly unresponsive: number };
  /** Returns the number of hosts whose webhooks wait until some of them answer 2xx. */
  hostsHeld(): number;
  /** Sends nothing more, finishes and writes what is under way, and gives up the shards. */
  stop(): Promise<void>;
}
