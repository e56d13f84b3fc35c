import type { LeaseTable, Members } from '@junction/eventsourcing/leases';
import type { DueReads } from './due-work.js';
import type { AttemptRecord, BatchName, Job, Rest, Result, Target } from './job.js';
import type { Ended } from './judge.js';
import type { Reading } from './shard-shares.js';

/** Breakers of the failing webhooks; a healthy webhook has none. */
export interface Circuits {
  /**
   * Makes the attempt under the webhook's breaker, which is made at the first failure. An attempt that is not current
   * when it ends was sent to an older version of the webhook, and does not count.
   */
  run(
    webhookId: string,
    attempt: () => Promise<AttemptRecord>,
    isCurrent: () => boolean,
  ): Promise<AttemptRecord>;
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

/** Ports of the driver. */
export interface DriverPorts {
  /** Returns the epoch of the shard's lease; undefined: this replica must not send for the shard now. */
  readonly epochOf: (shard: number) => string | undefined;
  /** Sends a request. Never rejects: every way in which an attempt can end is a record. */
  readonly send: (job: Job, target: Target) => Promise<AttemptRecord>;
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
