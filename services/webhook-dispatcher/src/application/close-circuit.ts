import type { OpenCircuit, Transaction } from './unit-of-work.js';

/** Closes the circuit of a webhook, if it is open, and publishes that. */
export async function closeCircuit(
  tx: Transaction,
  webhookId: string,
  at: Date,
): Promise<OpenCircuit | undefined> {
  const circuit = await tx.circuits.close({ webhookId });
  if (circuit === undefined) return undefined;
  const type = 'webhook.circuit_closed';
  const message = { userId: circuit.userId, webhookId, occurredAt: at };
  await tx.outbox.publish([{ type, id: circuitMessageId(type, webhookId, circuit), message }]);
  return circuit;
}

/** Returns the id of a message about an opening: a webhook has one circuit opened at a time. */
export const circuitMessageId = (
  what: string,
  webhookId: string,
  { openedAt }: OpenCircuit,
): string => `${what}/${webhookId}/${openedAt.toISOString()}`;
