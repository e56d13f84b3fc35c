import type { AttemptRecord, Rest } from './job.js';

/** A breaker for each failing webhook, and none for those that are well. */
export interface Circuits {
  /** Makes the attempt under the webhook's breaker; its first failure makes one. */
  run(webhookId: string, attempt: () => Promise<AttemptRecord>): Promise<AttemptRecord>;
  /** May one more attempt go out, with so many under way? */
  permits(webhookId: string, underWay: number): boolean;
  /** False: it rests until a probe is due. */
  isOpen(webhookId: string): boolean;
  /** Takes up a circuit that its last owner left open. Not over what this one has learned since. */
  restore(webhookId: string, rest: Rest): void;
  /** Forgets what was learned. */
  drop(webhookId: string): void;
  stop(): void;
}

export type CircuitChange =
  /** Again after each probe that fails. */
  ({ readonly to: 'open' } & Rest) | { readonly to: 'half-open' } | { readonly to: 'closed' };

/** With the kind of the event that was sent last, where that is known: it closed or opened the circuit. */
export type OnCircuitChange = (webhookId: string, change: CircuitChange, lastKind?: string) => void;
