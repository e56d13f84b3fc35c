import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Answer, Webhook } from '../api/types.js';

const PAGE = 200;

/** Reads all webhooks of the user, page after page. */
const allWebhooksQuery = queryOptions({
  queryKey: ['all-webhooks'],
  queryFn: async ({ signal }): Promise<readonly Webhook[]> => {
    const webhooks: Webhook[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) });
      const page: Answer<'/api/webhooks', 'get'> = await call('GET', `/api/webhooks?${query}`, {
        signal,
      });
      webhooks.push(...page.items);
      cursor = page.next_cursor;
    }
    return webhooks;
  },
});

/** Returns the URL of each webhook by its id; undefined while the webhooks are loading. */
export const useWebhookUrls = (): ReadonlyMap<string, string> | undefined =>
  useQuery({ ...allWebhooksQuery, select: urlsOf }).data;

const urlsOf = (webhooks: readonly Webhook[]): ReadonlyMap<string, string> =>
  new Map(webhooks.map(({ webhook_id: webhookId, url }) => [webhookId, url]));

/** Returns all webhooks, and requests them only while `isWanted`. */
export const useAllWebhooks = (isWanted: boolean): readonly Webhook[] | undefined =>
  useQuery({ ...allWebhooksQuery, enabled: isWanted }).data;
