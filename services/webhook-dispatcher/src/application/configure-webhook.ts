import { AppError } from '@junction/errors';
import { hrefOf } from '../domain/webhook/href.js';
import { findWebhook } from './find-webhook.js';
import { handleWebhook } from './handle-webhook.js';
import type { Ports, Webhook } from './ports.js';
import { type OptionsRequest, optionsChange, secretChange } from './requested-changes.js';
import type { Transaction } from './unit-of-work.js';

export interface ConfigureRequest {
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  /** Absent: the stored one stays. */
  readonly secret?: string | undefined;
  readonly options?: OptionsRequest | undefined;
}

export interface Configured {
  readonly created: boolean;
  readonly webhook: Webhook;
}

type ConfigurePorts = Pick<
  Ports,
  'unitOfWork' | 'webhooks' | 'webhooksPerUserMax' | 'webhookChanged' | 'now' | 'newWebhookId'
>;

const ROUNDS_MAX = 5;

/** Creates the webhook, or updates the one with the same url. */
export const configureWebhook =
  (ports: ConfigurePorts) =>
  async (userId: string, request: ConfigureRequest): Promise<Configured> => {
    for (let round = 1; ; round++) {
      try {
        return await configure(ports, userId, request);
      } catch (error) {
        // Another request configured the same url first, or deleted the webhook: look again.
        const { code } = AppError.from(error);
        const isOvertaken = code === 'webhook_url_taken' || code === 'webhook_not_found';
        if (!isOvertaken || round === ROUNDS_MAX) throw error;
      }
    }
  };

async function configure(
  ports: ConfigurePorts,
  userId: string,
  request: ConfigureRequest,
): Promise<Configured> {
  const { url, events, enabled } = request;
  const existing = await ports.webhooks.byHref(userId, hrefOf(url));
  const webhookId = existing?.webhook_id ?? ports.newWebhookId();
  const at = ports.now().toISOString();
  const { options, headers } = await optionsChange(ports, existing, request.options);
  const { change, secret } = await secretChange(ports, existing, request.secret);
  const data = { userId, url, events, enabled, secret: change, options, at };
  const command = { type: 'ConfigureWebhook', data } as const;
  await ports.unitOfWork.inTransaction(async (tx) => {
    await handleWebhook(tx, webhookId, command, { secret, headers });
    if (existing === undefined) await requireRoom(tx, userId, ports.webhooksPerUserMax);
  });
  ports.webhookChanged(webhookId);
  return { created: existing === undefined, webhook: await findWebhook(ports)(userId, webhookId) };
}

async function requireRoom(tx: Transaction, userId: string, max: number): Promise<void> {
  if ((await tx.webhooks.count(userId)) <= max) return;
  throw new AppError(
    'webhook_limit_reached',
    `A user has at most ${max} webhooks. Delete one that is no longer needed.`,
  );
}
