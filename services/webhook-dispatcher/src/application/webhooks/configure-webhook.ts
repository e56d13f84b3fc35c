import { AppError } from '@junction/errors';
import { hrefOf } from '../../domain/webhook/href.js';
import { findWebhook } from '../find-webhook.js';
import { handleWebhook } from '../handle-webhook.js';
import type { Ports } from '../ports.js';
import type { Transaction } from '../unit-of-work.js';
import type { Webhook } from './ports.js';
import { type OptionsRequest, optionsChange, secretChange } from './requested-changes.js';

export interface ConfigureRequest {
  readonly url: string;
  readonly events: readonly string[];
  /** Absent: a new webhook is enabled, and one that is there stays as it is. */
  readonly enabled?: boolean | undefined;
  /** Absent: the stored secret stays. */
  readonly secret?: string | undefined;
  readonly options?: OptionsRequest | undefined;
}

export interface Configured {
  readonly created: boolean;
  readonly webhook: Webhook;
}

type SavePorts = Pick<
  Ports,
  | 'unitOfWork'
  | 'webhooks'
  | 'webhooksPerUserMax'
  | 'webhookChanged'
  | 'now'
  | 'newWebhookId'
  | 'inTurn'
>;

const ROUNDS_MAX = 5;

/** Creates the webhook, or updates the one with the same url: the oldest, when several have it. */
export const configureWebhook =
  (ports: SavePorts) =>
  async (userId: string, request: ConfigureRequest): Promise<Configured> => {
    for (let round = 1; ; round++) {
      try {
        const existing = await ports.webhooks.oldestAt(userId, hrefOf(request.url));
        const webhook = await save(ports, userId, request, { existing, isOnly: true });
        return { created: existing === undefined, webhook };
      } catch (error) {
        // Another request configured the same url first, or deleted the webhook: look again.
        const isOvertaken =
          error instanceof UrlTaken || AppError.from(error).code === 'webhook_not_found';
        if (!isOvertaken || round === ROUNDS_MAX) throw error;
      }
    }
  };

/** Creates a webhook, also when others have the same url. */
export const createWebhook =
  (ports: SavePorts) =>
  async (userId: string, request: ConfigureRequest): Promise<Webhook> =>
    save(ports, userId, request, { existing: undefined, isOnly: false });

class UrlTaken extends Error {}

interface Saved {
  /** Webhook to update; undefined: a new one is created. */
  readonly existing: Webhook | undefined;
  /** Whether a new webhook is created only if none has its url; otherwise UrlTaken is thrown. */
  readonly isOnly: boolean;
}

/** Creates or updates a webhook. @throws AppError `webhook_limit_reached`, `webhook_not_found` */
async function save(
  ports: SavePorts,
  userId: string,
  request: ConfigureRequest,
  { existing, isOnly }: Saved,
): Promise<Webhook> {
  const { url, events, enabled = existing?.status !== 'disabled' } = request;
  const webhookId = existing?.webhookId ?? ports.newWebhookId();
  const at = ports.now().toISOString();
  const { options, headers } = await optionsChange(ports, existing, request.options);
  const { change, secret } = await secretChange(ports, existing, request.secret);
  const data = { userId, url, events, enabled, secret: change, options, at };
  const command = { type: 'ConfigureWebhook', data } as const;
  const work = async (tx: Transaction) => {
    if (existing === undefined) {
      const count = await tx.webhooks.count(userId);
      if (isOnly && (await tx.webhooks.hasAt({ userId, href: hrefOf(url) }))) throw new UrlTaken();
      requireRoom(count, ports.webhooksPerUserMax());
    }
    await handleWebhook(tx, webhookId, command, { secret, headers });
  };
  await ports.inTurn(userId, () => ports.unitOfWork.inTransaction(work));
  ports.webhookChanged({ webhookId, userId });
  return findWebhook(ports)(userId, webhookId);
}

function requireRoom(count: number, max: number): void {
  if (count < max) return;
  throw new AppError(
    'webhook_limit_reached',
    `A user has at most ${max} webhooks. Delete one that is no longer needed.`,
  );
}
