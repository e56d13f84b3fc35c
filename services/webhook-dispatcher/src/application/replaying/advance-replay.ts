import type { Transaction } from '../unit-of-work.js';
import { BACKLOG_MAX, type ReplayOperation } from './ports.js';
import { repeat } from './redeliver.js';
import { batchOf, obstacleOf, SCANNED_MAX } from './replay-batch.js';

export interface AdvancedReplay {
  readonly operation: ReplayOperation;
  /** Something was done, so there may be more at once. */
  readonly hasMoved: boolean;
}

const NOTHING_SENT = { sent: 0, skipped: 0, lastDeliveryId: null };

/** Moves one replay on by a batch, and returns it as it is afterwards; undefined: there is none to move. */
export async function advanceReplay(tx: Transaction): Promise<AdvancedReplay | undefined> {
  const replay = await tx.replays.claim();
  if (replay === undefined) return undefined;
  const { operationId, webhookId } = replay;
  const obstacle = obstacleOf(await tx.webhooks.status(webhookId));
  if (obstacle !== undefined) {
    return { operation: await tx.replays.end(operationId, 'cancelled', obstacle), hasMoved: true };
  }
  const room = BACKLOG_MAX - (await tx.pending.countDue(webhookId));
  if (room > 0) return { operation: await sendBatch(tx, replay, room), hasMoved: true };
  return { operation: await tx.replays.advance(operationId, NOTHING_SENT), hasMoved: false };
}

/** Files the next deliveries and how far the replay has come in one transaction: none twice, none left out. */
async function sendBatch(
  tx: Transaction,
  replay: ReplayOperation,
  room: number,
): Promise<ReplayOperation> {
  const { operationId, webhookId } = replay;
  const after = replay.lastDeliveryId;
  const scanned = await tx.deliveries.candidates(webhookId, replay, after, SCANNED_MAX);
  const { waiting, ended, lastDeliveryId, isLast } = batchOf(scanned, replay, room);
  await tx.pending.attemptNow(webhookId, waiting, { isFirst: false, askedAt: replay.requestedAt });
  const repeated = await repeat(tx, ended, operationId);
  const skipped = ended.length - repeated.length;
  const sent = waiting.length + repeated.length;
  const advanced = await tx.replays.advance(operationId, { sent, skipped, lastDeliveryId });
  return isLast ? tx.replays.end(operationId, 'completed', null) : advanced;
}
