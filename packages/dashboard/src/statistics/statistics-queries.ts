import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { firstHour, type Statistics } from './hours.js';

/** Read again when an attempt is told (deliveries/live.ts); and now and then, for hours go by without one. */
const REFETCH_MS = 60_000;

/** Of each of these webhooks by itself, by one request for all. */
export const eachStatisticsQuery = (webhookIds: readonly string[], hours: number) =>
  queryOptions({
    queryKey: ['statistics', webhookIds, hours],
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
    queryFn: ({ signal }) => {
      const from = firstHour(new Date(), hours).toISOString();
      const query = new URLSearchParams({ from, webhook_ids: webhookIds.join() });
      return call<Statistics>('GET', `/api/webhooks/stats?${query}`, { signal });
    },
  });

/** Of the last hours, this one among them: of one webhook, or of all. */
export const statisticsQuery = (webhookId: string | undefined, hours: number) =>
  queryOptions({
    queryKey: ['statistics', webhookId ?? null, hours],
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
    queryFn: ({ signal }) => {
      const from = firstHour(new Date(), hours).toISOString();
      const of = webhookId === undefined ? '' : `/${encodeURIComponent(webhookId)}`;
      return call<Statistics>('GET', `/api/webhooks${of}/stats?${new URLSearchParams({ from })}`, {
        signal,
      });
    },
  });
