import { isNoticeKind } from '@junction/contracts';
import type { WebhookCommand } from '../domain/webhook/decider.js';
import type { HandleWebhook } from './application.js';
import type { OnCircuitChange } from './dispatch/circuits.js';

export interface CircuitJournalNeeds {
  readonly handle: HandleWebhook;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/**
 * Stores that a circuit opened or closed, one after the other and in their order. What cannot be
 * stored is told at the next change: it costs a replica that takes over one probe, or one rest.
 */
export function circuitJournal({ handle, now, onError }: CircuitJournalNeeds): OnCircuitChange {
  let last: Promise<void> = Promise.resolve();

  return (webhookId, change, lastKind = '') => {
    if (change.to === 'half-open') return;
    const at = now().toISOString();
    const command: WebhookCommand =
      change.to === 'open'
        ? { type: 'OpenCircuit', data: { probeAt: change.probeAt.toISOString(), at } }
        : { type: 'CloseCircuit', data: { at, byNotice: isNoticeKind(lastKind) } };
    last = last.then(async () => handle(webhookId, command)).catch(onError);
  };
}
