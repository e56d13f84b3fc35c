import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Answer } from '../api/types.js';

const PAGE = 200;

/** Each webhook of the user by its id, page after page. */
const webhookUrlsQuery = queryOptions({
  queryKey: ['webhooks', 'urls'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
    const urls = new Map<string, string>();
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) });
      const page: Answer<'/api/webhooks', 'get'> = await call('GET', `/api/webhooks?${query}`, {
        signal,
      });
      for (const { webhook_id: webhookId, url } of page.items) urls.set(webhookId, url);
      cursor = page.next_cursor;
    }
    return urls;
  },
});

export const useWebhookUrls = () => useQuery(webhookUrlsQuery);
