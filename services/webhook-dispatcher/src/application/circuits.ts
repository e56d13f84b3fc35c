import { isNoticeKind } from '@junction/contracts';
import type { CircuitChange, OnCircuitChange } from './dispatch/circuits.js';
import type { Ports } from './ports.js';
import type { Asked, OpenCircuit, Transaction, WebhookOwner } from './unit-of-work.js';

/** Stores what becomes of circuits, and tells those who listen. */
export interface CircuitRecorder {
  readonly changed: OnCircuitChange;
  /** Resolves when all that was told until then is stored, or could not be. */
  drained(): Promise<void>;
}

export interface CircuitPorts extends Pick<Ports, 'unitOfWork' | 'now'> {
  /** Called with the webhook of each change, once that is stored. */
  readonly stored: (webhook: WebhookOwner) => void;
}

/**
 * Stores changes one after the other and in their order. One that cannot be stored is made good by the next:
 * it costs a replica that takes over one probe, or one rest.
 */
export function circuitRecorder(
  { unitOfWork, now, stored }: CircuitPorts,
  onError: (error: unknown) => void,
): CircuitRecorder {
  let last: Promise<void> = Promise.resolve();

  return {
    changed(webhookId, change, lastSent) {
      // It follows from the time: the rest is over.
      if (change.to === 'half-open') return;
      const at = now();
      const work = async () => {
        const circuit = await unitOfWork.inTransaction(async (tx) =>
          change.to === 'open'
            ? openCircuit(tx, { webhookId, version: lastSent?.version }, change, at)
            : recover(tx, webhookId, { at, isByNotice: isNoticeKind(lastSent?.kind ?? '') }),
        );
        if (circuit) stored({ webhookId, userId: circuit.userId });
      };
      last = last.then(work).catch(onError);
    },
    drained: async () => last,
  };
}

async function openCircuit(
  tx: Transaction,
  { webhookId, version }: Asked,
  { probeAt, restMs }: Extract<CircuitChange, { to: 'open' }>,
  at: Date,
): Promise<OpenCircuit | undefined> {
  const circuit = await tx.circuits.open({ webhookId, version }, at, { probeAt, restMs });
  // After a probe that failed it is open already: only the time of the next one is news.
  if (circuit?.isNew !== true) return circuit;
  const { userId } = circuit;
  const message = { userId, webhookId, probeAt, occurredAt: at };
  const type = 'webhook.circuit_opened';
  await tx.outbox.publish([{ type, id: idOf(type, webhookId, circuit), message }]);
  return circuit;
}

/** A probe succeeded. No notice follows the delivery of another. */
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
  await tx.outbox.notify([{ kind, id: idOf(kind, webhookId, circuit), userId, data }]);
  return circuit;
}

/** Closes the circuit of a webhook, if it is open, and publishes that. */
export async function closeCircuit(
  tx: Transaction,
  webhookId: string,
  at: Date,
): Promise<OpenCircuit | undefined> {
  const circuit = await tx.circuits.close(webhookId);
  if (circuit === undefined) return undefined;
  const type = 'webhook.circuit_closed';
  const message = { userId: circuit.userId, webhookId, occurredAt: at };
  await tx.outbox.publish([{ type, id: idOf(type, webhookId, circuit), message }]);
  return circuit;
}

/** A webhook has one circuit that was opened at a time. */
const idOf = (what: string, webhookId: string, { openedAt }: OpenCircuit): string =>
  `${what}/${webhookId}/${openedAt.toISOString()}`;
