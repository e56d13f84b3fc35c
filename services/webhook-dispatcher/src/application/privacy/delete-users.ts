import { batchHandler } from '@junction/eventsourcing';
import { webhookDecider } from '../../domain/webhook/decider.js';
import { webhookStream } from '../streams.js';
import type { Transaction } from '../unit-of-work.js';

export interface DeletedUser {
  readonly userId: string;
  readonly at: Date;
  /** False: the account is closed and can come back. */
  readonly isFinal: boolean;
}

export interface DeletedWebhook {
  readonly webhookId: string;
  readonly userId: string;
}

/** Webhooks deleted in one statement: a user may have a thousand, and a batch names many users. */
const TOGETHER_MAX = 500;

/**
 * Deletes the webhooks of users and what waits for these, and of users who are deleted for good the keys that seal
 * everything else. The sealed rows are deleted in the background. Returns the webhooks that were deleted.
 */
export async function deleteUsers(
  tx: Transaction,
  users: readonly DeletedUser[],
): Promise<readonly DeletedWebhook[]> {
  const userIds = users.map(({ userId }) => userId).toSorted();
  for (const userId of userIds) await tx.webhooks.takeTurn(userId);
  const webhooks = await tx.webhooks.ofUsers({ userIds });
  const deletions = users.flatMap(({ userId, at }) =>
    webhooks
      .filter((webhook) => webhook.userId === userId)
      .map(({ webhookId }) => deletion(webhookId, at)),
  );
  const handle = batchHandler(tx.events, webhookDecider);
  for (let first = 0; first < deletions.length; first += TOGETHER_MAX) {
    await handle(deletions.slice(first, first + TOGETHER_MAX));
  }
  const webhookIds = webhooks.map(({ webhookId }) => webhookId);
  await tx.pending.delete({ webhookIds });
  for (const { userId, isFinal } of users) if (isFinal) await tx.users.delete(userId);
  return webhooks.map(({ webhookId, userId }) => ({ webhookId, userId }));
}

const deletion = (webhookId: string, at: Date) => {
  const data = { reason: 'user_deleted', at: at.toISOString() } as const;
  return { streamId: webhookStream(webhookId), command: { type: 'DeleteWebhook', data } as const };
};
