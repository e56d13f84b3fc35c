import { AppError } from '@junction/errors';
import type { Page, PageRequest } from './page.js';
import type { Ports, Webhook } from './ports.js';

type ReadPorts = Pick<Ports, 'webhooks'>;

/** A webhook of the user. AppError `not_found`/`webhook_not_found`. */
export const findWebhook =
  ({ webhooks }: ReadPorts) =>
  async (userId: string, webhookId: string): Promise<Webhook> => {
    const webhook = await webhooks.byId(userId, webhookId);
    if (webhook) return webhook;
    throw webhookNotFound();
  };

/** The webhooks of the user, newest first. */
export const listWebhooks =
  ({ webhooks }: ReadPorts) =>
  async (userId: string, page: PageRequest): Promise<Page<Webhook>> =>
    webhooks.page(userId, page);

export const webhookNotFound = () =>
  new AppError('not_found', 'webhook_not_found', 'There is no such webhook.');
