import type { AttemptRecord } from './job.js';

/** A breaker for each ailing webhook, and none for those that are well. */
export interface Circuits {
  /** Makes the attempt under the webhook's breaker; its first failure makes one. */
  run(webhookId: string, attempt: () => Promise<AttemptRecord>): Promise<AttemptRecord>;
  /** May one more attempt go out, with so many under way? */
  permits(webhookId: string, underWay: number): boolean;
  /** False: it rests until a probe is due. */
  isOpen(webhookId: string): boolean;
  /** Takes up a circuit that was open when its last owner ended. */
  restore(webhookId: string, probeAt: Date): void;
  /** Forgets what was learned. */
  drop(webhookId: string): void;
  stop(): void;
}

export type CircuitChange =
  | { readonly to: 'open'; readonly probeAt: Date }
  | { readonly to: 'half-open' }
  | { readonly to: 'closed' };

/** With the kind of the event that was sent last, where that is known: it closed or opened the circuit. */
export type OnCircuitChange = (webhookId: string, change: CircuitChange, lastKind?: string) => void;
