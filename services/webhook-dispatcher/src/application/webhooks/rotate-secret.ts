import { findWebhook } from '../find-webhook.js';
import { handleWebhook } from '../handle-webhook.js';
import type { Ports } from '../ports.js';
import type { Webhook } from './ports.js';
import { secretChange } from './requested-changes.js';

/** Milliseconds for which the secret before a rotation still signs: receivers need time to take the new one. */
const OVERLAP_MS = 24 * 3_600_000;

export interface RotationRequest {
  /** Secret to rotate to; absent: a new one is generated. */
  readonly secret?: string | undefined;
  /** Versions of the webhook that the rotation is for; absent: any. */
  readonly ifVersion?: readonly number[] | undefined;
}

/**
 * Rotates the secret: the given one signs from now on, or else a new one, which is returned. The secret before it signs
 * for a day more. @throws AppError `precondition_failed`
 */
export const rotateSecret =
  (ports: Ports) =>
  async (
    userId: string,
    webhookId: string,
    { secret: requested, ifVersion }: RotationRequest,
  ): Promise<{ readonly webhook: Webhook; readonly newSecret?: string }> => {
    const webhook = await findWebhook(ports)(userId, webhookId);
    const wanted = requested ?? ports.newSecret();
    const { secret } = await secretChange(ports, webhook, wanted);
    // Rotating to the secret that signs already would let it end with itself.
    if (secret === undefined) return { webhook };

    const at = ports.now();
    const previousExpiresAt = new Date(at.getTime() + OVERLAP_MS).toISOString();
    const data = { previousExpiresAt, at: at.toISOString() };
    await ports.inTurn(userId, () =>
      ports.unitOfWork.inTransaction((tx) =>
        handleWebhook(tx, webhookId, { type: 'RotateSecret', data }, { secret, ifVersion }),
      ),
    );
    ports.webhookChanged({ webhookId, userId });
    const rotated = await findWebhook(ports)(userId, webhookId);
    return { webhook: rotated, ...(requested === undefined && { newSecret: secret }) };
  };
