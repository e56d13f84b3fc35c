import type { AttemptRecord, Rest } from './job.js';

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
