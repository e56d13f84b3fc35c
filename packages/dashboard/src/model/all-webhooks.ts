import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Webhook } from '../api/types.js';
import { addressOf } from '../ui/url-parts.js';
import { readWebhooks } from './webhook-queries.js';

/** The webhooks where their names alone matter: attempts cause no read of them. */
const allWebhooksQuery = queryOptions({
  queryKey: ['all-webhooks'],
  queryFn: ({ signal }) => readWebhooks(signal),
});

/** Returns the URL of each webhook by its id; undefined while the webhooks are loading. */
export const useWebhookUrls = (): ReadonlyMap<string, string> | undefined =>
  useQuery({ ...allWebhooksQuery, select: urlsOf }).data;

const urlsOf = (webhooks: readonly Webhook[]): ReadonlyMap<string, string> =>
  new Map(webhooks.map(({ webhook_id: webhookId, url }) => [webhookId, url]));

/** Returns the name of each webhook by its id, and requests them only while `isWanted`. */
export const useWebhookNames = (isWanted: boolean): ReadonlyMap<string, string> | undefined =>
  useQuery({ ...allWebhooksQuery, select: namesOf, enabled: isWanted }).data;

const namesOf = (webhooks: readonly Webhook[]): ReadonlyMap<string, string> =>
  new Map(webhooks.map((webhook) => [webhook.webhook_id, nameOf(webhook)]));

/** Returns the description of a webhook, or its address when it has none. */
export const nameOf = (webhook: Webhook): string => webhook.description ?? addressOf(webhook);

/** Returns all webhooks, and requests them only while `isWanted`. */
export const useAllWebhooks = (isWanted: boolean): readonly Webhook[] | undefined =>
  useQuery({ ...allWebhooksQuery, enabled: isWanted }).data;
