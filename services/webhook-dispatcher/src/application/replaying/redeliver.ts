import { newId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { shardOf } from '../../domain/shard.js';
import { deliveryNotFound } from '../delivery-not-found.js';
import { requireSendable } from '../find-webhook.js';
import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';
import type { DeliveryKey, Standing } from './ports.js';

/**
 * Sends a delivery again: an ended one as a new delivery, a waiting one at once. Returns the id of what is sent
 * (dlv_…). @throws AppError `bytes_spent`
 */
export const redeliver =
  (ports: Pick<Ports, 'unitOfWork' | 'webhooks' | 'webhookChanged' | 'now' | 'budget'>) =>
  async (userId: string, webhookId: string, deliveryId: string): Promise<string> => {
    const askedAt = ports.now();
    await requireSendable(ports, userId, webhookId);
    const sent = await ports.unitOfWork.inTransaction((tx) =>
      sendAgain(tx, webhookId, deliveryId, {
        askedAt,
        spend: (bytes) => ports.budget.spend(userId, bytes),
      }),
    );
    if (sent === undefined) throw deliveryNotFound();
    ports.webhookChanged({ webhookId, userId });
    return sent;
  };

export interface Asking {
  readonly askedAt: Date;
  /** Called with the bytes that are to be sent; throws when there are none left for them. */
  readonly spend: (bytes: number) => void;
}

/**
 * Sends a delivery again within a transaction. Returns the id of the new delivery, or of the one that waits; undefined:
 * there is no such delivery. @throws AppError `payload_expunged`
 */
export async function sendAgain(
  tx: Transaction,
  webhookId: string,
  deliveryId: string,
  { askedAt, spend }: Asking,
): Promise<string | undefined> {
  const original = await tx.deliveries.original(webhookId, deliveryId);
  if (original === undefined) return undefined;
  if (!original.isRedacted) spend(original.bytes);
  const sent =
    (await sendWaiting(tx, webhookId, original, askedAt)) ?? (await sendCopy(tx, original));
  await tx.pending.headNow(webhookId);
  return sent;
}

async function sendWaiting(
  tx: Transaction,
  webhookId: string,
  { status, deliveryId }: Standing,
  askedAt: Date,
): Promise<string | undefined> {
  if (status !== 'pending' && status !== 'retrying') return undefined;
  const how = { isFirst: true, askedAt };
  const [waiting] = await tx.pending.attemptNow(webhookId, [deliveryId], how);
  return waiting;
}

async function sendCopy(tx: Transaction, original: Standing): Promise<string> {
  const [copy] = original.isRedacted ? [] : await repeat(tx, [original]);
  if (copy !== undefined) return copy;
  throw new AppError(
    'payload_expunged',
    'The payload of this delivery was removed: there is nothing left to send.',
  );
}

/**
 * Files a new delivery for each: the same message and the same bytes, with a series of attempts of its own, due now.
 * Returns their ids, without those whose content does not open any more. `operationId`: the replay that sends them.
 */
export async function repeat(
  tx: Transaction,
  originals: readonly DeliveryKey[],
  operationId?: string,
): Promise<readonly string[]> {
  if (originals.length === 0) return [];
  const contents = await tx.deliveries.contents(originals);
  if (contents.length === 0) return [];
  const repeats = contents.map(({ deliveryId: originalId, ...content }) => ({
    ...content,
    originalId,
    deliveryId: newId('dlv'),
    shard: shardOf(content.userId),
  }));
  await tx.deliveries.insertRepeats(repeats, operationId);
  return repeats.map(({ deliveryId }) => deliveryId);
}
