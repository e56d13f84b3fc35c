import { findWebhook } from './find-webhook.js';
import { handleWebhook } from './handle-webhook.js';
import type { Ports, Webhook } from './ports.js';
import { secretChange } from './requested-changes.js';

/** How long the secret before a rotation still signs: receivers need time to take the new one. */
const OVERLAP_MS = 24 * 3_600_000;

export interface RotationRequest {
  /** Absent: a new one is made. */
  readonly secret?: string | undefined;
  /** The versions of the webhook that the rotation is for; absent: any. */
  readonly ifVersion?: readonly number[] | undefined;
}

/** From now on this secret signs, or a new one, which is given back; the one before it for a day more. AppError `precondition_failed`. */
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
