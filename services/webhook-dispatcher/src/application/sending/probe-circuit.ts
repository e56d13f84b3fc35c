import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';

/**
 * Has the next request to a webhook with an open circuit sent at once, instead of at the end of its rest. @throws
 * AppError `circuit_not_open`
 */
export const probeCircuit =
  ({ quietWork, webhookChanged, now }: Pick<Ports, 'quietWork' | 'webhookChanged' | 'now'>) =>
  async (webhookId: string): Promise<void> => {
    const askedAt = now();
    const circuit = await quietWork.inTransaction((tx) => tx.circuits.probe(webhookId, askedAt));
    if (circuit) return webhookChanged({ webhookId, userId: circuit.userId });
    throw new AppError('circuit_not_open', 'The webhook has no open circuit, or does not exist.');
  };
