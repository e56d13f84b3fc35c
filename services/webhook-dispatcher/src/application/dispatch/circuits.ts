import type { AttemptRecord, Rest } from './job.js';

/** A breaker for each failing webhook, and none for those that are well. */
export interface Circuits {
  /**
   * Makes the attempt under the webhook's breaker; its first failure makes one. An attempt that is not current when
   * it ends asked an older version of the webhook, and says nothing of how it is.
   */
  run(
    webhookId: string,
    attempt: () => Promise<AttemptRecord>,
    isCurrent: () => boolean,
  ): Promise<AttemptRecord>;
  /** May one more attempt go out, with so many under way? */
  permits(webhookId: string, underWay: number): boolean;
  /** False: it rests until a probe is due. */
  isOpen(webhookId: string): boolean;
  /**
   * Takes up a circuit that its last owner left open. Not over what this one has learned since, unless its owner asked
   * for a probe since it opened.
   */
  restore(webhookId: string, rest: Rest): void;
  /** Forgets what was learned. */
  drop(webhookId: string): void;
  stop(): void;
}

export type CircuitChange =
  /** Again after each probe that fails. */
  ({ readonly to: 'open' } & Rest) | { readonly to: 'half-open' } | { readonly to: 'closed' };

/** What was sent last: its end opened or closed the circuit. */
export interface LastSent {
  /** Of the event. */
  readonly kind: string;
  /** Of the webhook, as it was sent to. */
  readonly version: number;
}

export type OnCircuitChange = (
  webhookId: string,
  change: CircuitChange,
  lastSent?: LastSent,
) => void;
