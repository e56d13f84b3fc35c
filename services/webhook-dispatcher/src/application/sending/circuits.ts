import { isNoticeKind } from '@junction/contracts';
import { circuitMessageId, closeCircuit } from '../close-circuit.js';
import type { Rest } from '../job.js';
import type { Ports } from '../ports.js';
import type { OpenCircuit, Transaction, WebhookOwner } from '../unit-of-work.js';
import type { CircuitChange, LastSent } from './ports.js';

export interface CircuitPorts extends Pick<Ports, 'unitOfWork' | 'now'> {
  /** Called with the webhook of each change, once the change is stored. */
  readonly stored: (webhook: WebhookOwner) => void;
}

/**
 * Creates a recorder that stores changes one after the other, in their order. A change that cannot be stored is made
 * good by the next one: the loss costs a replica that takes over one probe, or one rest.
 */
export function circuitRecorder(
  { unitOfWork, now, stored }: CircuitPorts,
  onError: (error: unknown) => void,
) {
  let last: Promise<void> = Promise.resolve();

  return {
    changed(webhookId: string, change: CircuitChange, lastSent?: LastSent) {
      // A half-open circuit needs no row: the stored rest says when it is over.
      if (change.to === 'half-open') return;
      const at = now();
      const work = async () => {
        const circuit = await unitOfWork.inTransaction(async (tx) =>
          change.to === 'open'
            ? openCircuit(tx, webhookId, { ...change, version: lastSent?.version ?? null, at })
            : recover(tx, webhookId, { at, isByNotice: isNoticeKind(lastSent?.kind ?? '') }),
        );
        if (circuit) stored({ webhookId, userId: circuit.userId });
      };
      last = last.then(work).catch(onError);
    },
    /** Resolves when all changes that were reported until then are stored, or could not be. */
    drained: async () => last,
  };
}

async function openCircuit(
  tx: Transaction,
  webhookId: string,
  { version, probeAt, restMs, at }: Rest & { readonly version: number | null; readonly at: Date },
): Promise<OpenCircuit | undefined> {
  const circuit = await tx.circuits.open({ webhookId, version, openedAt: at, probeAt, restMs });
  // After a failed probe the circuit is open already, and only the time of its next probe is stored.
  if (circuit?.isNew !== true) return circuit;
  const { userId } = circuit;
  const message = { userId, webhookId, probeAt, occurredAt: at };
  const type = 'webhook.circuit_opened';
  await tx.outbox.publish([{ type, id: circuitMessageId(type, webhookId, circuit), message }]);
  return circuit;
}

/**
 * Closes the circuit after a probe that succeeded, and notifies the owner, unless the probe delivered a notice itself.
 */
async function recover(
  tx: Transaction,
  webhookId: string,
  { at, isByNotice }: { readonly at: Date; readonly isByNotice: boolean },
): Promise<OpenCircuit | undefined> {
  const circuit = await closeCircuit(tx, webhookId, at);
  if (circuit === undefined || isByNotice) return circuit;
  const kind = 'webhook.recovered';
  const data = { webhook_id: webhookId, occurred_at: at.toISOString() };
  const { userId } = circuit;
  await tx.outbox.notify([{ kind, id: circuitMessageId(kind, webhookId, circuit), userId, data }]);
  return circuit;
}
