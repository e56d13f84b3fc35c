import type { Delivery, DeliveryDetail, Webhook } from '../../api/answers.js';
import type { Api, CallOptions } from '../../api/api.js';
import { itemsOf } from '../../api/pages.js';
import { Refusal } from '../../api/refusal.js';
import { webhookPath, webhooksOf } from './webhooks.js';

type Filter = NonNullable<CallOptions['query']> & { readonly limit: number };

/** Deliveries of a webhook, or of all, the newest first. */
export const deliveriesOf = async (
  api: Api,
  webhookId: string | undefined,
  filter: Filter,
): Promise<readonly Delivery[]> =>
  itemsOf<Delivery>(api, '/api/deliveries', { ...filter, webhook_id: webhookId });

/** A delivery by its id alone: whichever webhook it belongs to. Refusal (delivery_not_found). */
export async function deliveryOf(api: Api, deliveryId: string): Promise<DeliveryDetail> {
  const webhooks: readonly Webhook[] = await webhooksOf(api);
  const answers = await Promise.all(
    webhooks.map(async ({ webhook_id }) =>
      api.call<DeliveryDetail>('GET', deliveryPath(webhook_id, deliveryId)).catch(orNone),
    ),
  );
  const found = answers.find((answer) => answer !== undefined);
  if (found) return found;
  throw new Refusal(
    404,
    'delivery_not_found',
    `None of your webhooks has a delivery ${deliveryId}. junction deliveries list shows what there is.`,
  );
}

export const deliveryPath = (webhookId: string, deliveryId: string): string =>
  `${webhookPath(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}`;

function orNone(error: unknown): undefined {
  if (!(error instanceof Refusal && error.status === 404)) throw error;
}
