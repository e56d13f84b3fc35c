import { deliveryNotFound } from '../delivery-not-found.js';
import { findWebhook } from '../find-webhook.js';
import type { Ports } from '../ports.js';
import type { DeliveryDetail, DeliveryPage } from './ports.js';
import { type SentRequest, sentRequests } from './sent-requests.js';

type ReadPorts = Pick<Ports, 'webhookKeys' | 'webhooks' | 'deliveries'>;
type DeliveryFilter = Parameters<Ports['deliveries']['page']>[1];
type ListPorts = Pick<Ports, 'webhooks' | 'deliveries' | 'searching'>;

/** Returns the deliveries of a webhook that pass the filter. */
export const listDeliveries =
  (ports: ListPorts) =>
  async (userId: string, webhookId: string, filter: DeliveryFilter): Promise<DeliveryPage> => {
    await findWebhook(ports)(userId, webhookId);
    return pageOf(ports, userId, [webhookId], filter);
  };

/** Returns the deliveries that pass the filter, of all webhooks that the user has or of one of them. */
export const listAllDeliveries =
  (ports: ListPorts) =>
  async (
    userId: string,
    webhookId: string | undefined,
    filter: DeliveryFilter,
  ): Promise<DeliveryPage> => {
    const all = await ports.webhooks.ids(userId);
    const ids = webhookId === undefined ? all : all.filter((id) => id === webhookId);
    return pageOf(ports, userId, ids, filter);
  };

/** Reads a page, when there is room if bodies are to be opened for it. */
function pageOf(
  { deliveries, searching }: ListPorts,
  userId: string,
  webhookIds: readonly string[],
  filter: DeliveryFilter,
): Promise<DeliveryPage> {
  const read = () => deliveries.page(webhookIds, filter);
  return filter.text === undefined ? read() : searching(userId, read);
}

export interface ReadDelivery {
  readonly delivery: DeliveryDetail;
  /** Requests of the attempts, in their order. */
  readonly requests: readonly SentRequest[];
}

/**
 * Returns a delivery of the user, or of that one webhook, with its requests and answers. @throws AppError
 * `webhook_not_found`, `delivery_not_found`
 */
export const readDelivery =
  (ports: ReadPorts) =>
  async (userId: string, deliveryId: string, webhookId?: string): Promise<ReadDelivery> => {
    const asked = webhookId && (await findWebhook(ports)(userId, webhookId));
    const delivery = await ports.deliveries.detail(userId, deliveryId);
    const ofWebhook = delivery?.delivery.webhook_id;
    const webhook = ofWebhook && (asked || (await ports.webhooks.byId(userId, ofWebhook)));
    if (!webhook || webhook.webhookId !== ofWebhook) throw deliveryNotFound();
    return { delivery, requests: await sentRequests(ports, webhook, delivery) };
  };
