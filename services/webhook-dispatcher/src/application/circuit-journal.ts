import { isNoticeKind } from '@junction/contracts';
import type { HandleWebhook } from './application.js';
import type { CircuitChange, OnCircuitChange } from './dispatch/circuits.js';
import type { Rest } from './dispatch/job.js';

export interface CircuitJournalNeeds {
  readonly handle: HandleWebhook;
  /** Keeps how the circuit of a webhook rests, in the place of the rest before. False: it is not open. */
  readonly keepRest: (webhookId: string, rest: Rest) => Promise<boolean>;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

export interface CircuitJournal {
  readonly changed: OnCircuitChange;
  /** Resolves when all that was told until then is stored, or could not be. */
  drained(): Promise<void>;
}

/**
 * Stores that a circuit opened or closed, and until when it rests after each probe that failed: one after
 * the other and in their order. What cannot be stored is told at the next change: it costs a replica that
 * takes over one probe, or one rest.
 */
export function circuitJournal(needs: CircuitJournalNeeds): CircuitJournal {
  let last: Promise<void> = Promise.resolve();

  return {
    changed(webhookId, change, lastKind = '') {
      const at = needs.now().toISOString();
      last = last.then(async () => store(needs, webhookId, { change, at, lastKind }));
      last = last.catch(needs.onError);
    },
    drained: async () => last,
  };
}

interface Entry {
  readonly change: CircuitChange;
  readonly at: string;
  readonly lastKind: string;
}

async function store(
  { handle, keepRest }: CircuitJournalNeeds,
  webhookId: string,
  { change, at, lastKind }: Entry,
): Promise<void> {
  switch (change.to) {
    case 'open': {
      // After a probe that failed it is open already, and none of its webhook's events need be loaded for that.
      if (await keepRest(webhookId, change)) return;
      const probeAt = change.probeAt.toISOString();
      await handle(webhookId, { type: 'OpenCircuit', data: { probeAt, at } });
      await keepRest(webhookId, change);
      return;
    }
    case 'closed':
      await handle(webhookId, {
        type: 'CloseCircuit',
        data: { at, byNotice: isNoticeKind(lastKind) },
      });
      return;
    case 'half-open':
      // It follows from the time: the rest is over.
      return;
  }
}
