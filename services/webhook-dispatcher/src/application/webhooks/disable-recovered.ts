import { handleWebhook } from '../handle-webhook.js';
import type { Transaction, WebhookOwner } from '../unit-of-work.js';

/**
 * Access tokens that were out when an account was recovered live for so long. Whatever was changed by them until then
 * is disabled too; records come within a second, so that takes nothing of the owner's along but after an outage.
 */
const TOKENS_LIVE_MS = 10 * 60_000;

/** An account that its owner has taken back by mail. */
export interface RecoveredUser {
  readonly userId: string;
  /** Absent: all of the user. */
  readonly webhookIds: readonly string[] | undefined;
  readonly at: Date;
}

/**
 * Disables webhooks that somebody else may have made or changed, as their owner would: nothing of them is lost, and the
 * owner looks at each before it is enabled again. A webhook that was changed since is left, so that a record that comes
 * again, or late, disables nothing that the owner has looked at. Returns the webhooks.
 */
export async function disableRecovered(
  tx: Transaction,
  { userId, webhookIds, at }: RecoveredUser,
  now: Date,
): Promise<readonly WebhookOwner[]> {
  const moment = new Date(at.getTime() + TOKENS_LIVE_MS);
  const webhooks = await tx.webhooks.unchangedSince({
    userId,
    webhookIds: webhookIds ?? null,
    moment,
  });
  const data = { reason: 'user', at: now.toISOString() } as const;
  for (const { webhookId } of webhooks) {
    await handleWebhook(tx, webhookId, { type: 'DisableWebhook', data });
  }
  return webhooks;
}
