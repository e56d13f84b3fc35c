import { findWebhook } from '../find-webhook.js';
import { handleWebhook } from '../handle-webhook.js';
import type { Ports } from '../ports.js';
import type { Webhook } from './ports.js';
import { type OptionsRequest, optionsChange, secretChange } from './requested-changes.js';

export interface ChangeRequest {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly paused?: boolean | undefined;
  /** null deletes the secret. */
  readonly secret?: string | null | undefined;
  readonly options?: OptionsRequest | undefined;
  /** Versions of the webhook that the change is for; absent: any. */
  readonly ifVersion?: readonly number[] | undefined;
}

/** Changes what the request names, and nothing else. @throws AppError `precondition_failed` */
export const changeWebhook =
  (ports: Ports) =>
  (userId: string, webhookId: string, request: ChangeRequest): Promise<Webhook> =>
    ports.inTurn(userId, () => changeInTurn(ports)(userId, webhookId, request));

/** Changes a webhook within the user's turn, which the caller holds. */
export const changeInTurn =
  (ports: Ports) =>
  async (userId: string, webhookId: string, request: ChangeRequest): Promise<Webhook> => {
    const webhook = await findWebhook(ports)(userId, webhookId);
    const { secret: requested, options: wanted, ifVersion, ...changes } = request;
    const { options, headers } = await optionsChange(ports, webhook, wanted);
    const { change, secret } = await secretChange(ports, webhook, requested);
    const data = { ...changes, options, secret: change, at: ports.now().toISOString() };
    const command = { type: 'ChangeWebhook', data } as const;
    await ports.unitOfWork.inTransaction((tx) =>
      handleWebhook(tx, webhookId, command, { secret, headers, ifVersion }),
    );
    ports.webhookChanged({ webhookId, userId });
    return findWebhook(ports)(userId, webhookId);
  };
