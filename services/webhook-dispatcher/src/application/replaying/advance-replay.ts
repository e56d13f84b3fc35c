import type { Transaction } from '../unit-of-work.js';
import type { ByteBudget } from './byte-budget.js';
import type { ReplayOperation } from './ports.js';
import { repeat } from './redeliver.js';
import { BATCH_MAX, batchOf, obstacleOf, roomAfter, SCANNED_MAX } from './replay-batch.js';

export interface AdvancedReplay {
  readonly operation: ReplayOperation;
  /** Something was done, so there may be more at once. */
  readonly hasMoved: boolean;
}

/** Part of the room that is free before more is filed: a batch of one would cost what one of many does. */
const REFILL_AT = 1 / 4;
const NOTHING_SENT = { sent: 0, skipped: 0, lastDeliveryId: null, waitS: null };

/** Moves one replay on by a batch, and returns it as it is afterwards; undefined: there is none to move. */
export async function advanceReplay(
  tx: Transaction,
  budget: ByteBudget,
): Promise<AdvancedReplay | undefined> {
  const replay = await tx.replays.claim();
  if (replay === undefined) return undefined;
  const { operationId, webhookId } = replay;
  const obstacle = obstacleOf((await tx.webhooks.state({ webhookId }))?.status);
  if (obstacle !== undefined) {
    const end = { operationId, status: 'cancelled', reason: obstacle } as const;
    return { operation: await tx.replays.end(end), hasMoved: true };
  }
  const due = await tx.pending.countReplayed(webhookId);
  const moved = { ...replay, room: roomAfter(replay, due) };
  const { room } = moved;
  if (room - due >= room * REFILL_AT) {
    return { operation: await sendBatch(tx, moved, room - due, budget), hasMoved: true };
  }
  return {
    operation: await tx.replays.advance({ ...NOTHING_SENT, operationId, room }),
    hasMoved: false,
  };
}

/**
 * Files the next deliveries and how far the replay has come in one transaction: none twice, none left out. Without
 * bytes for the next one, the replay waits until there are some.
 */
async function sendBatch(
  tx: Transaction,
  replay: ReplayOperation,
  free: number,
  budget: ByteBudget,
): Promise<ReplayOperation> {
  const { operationId, webhookId, userId, room } = replay;
  const after = replay.lastDeliveryId;
  const scanned = await tx.deliveries.candidates(webhookId, replay, after, SCANNED_MAX);
  const left = budget.leftForReplays(userId);
  const most = { deliveries: Math.min(free, BATCH_MAX), bytes: left.bytes };
  const { waiting, ended, lastDeliveryId, isLast, bytes, isShort } = batchOf(scanned, replay, most);
  if (isShort) {
    return tx.replays.advance({ ...NOTHING_SENT, operationId, room, waitS: left.resetS });
  }
  await tx.pending.attemptNow(webhookId, waiting, { isFirst: false, askedAt: replay.requestedAt });
  const repeated = await repeat(tx, ended, operationId);
  const skipped = ended.length - repeated.length;
  const sent = waiting.length + repeated.length;
  budget.add(userId, bytes);
  const progress = { operationId, sent, skipped, lastDeliveryId, room, waitS: null };
  const advanced = await tx.replays.advance(progress);
  return isLast ? tx.replays.end({ operationId, status: 'completed', reason: null }) : advanced;
}
