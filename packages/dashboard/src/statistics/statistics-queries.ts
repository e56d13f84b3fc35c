import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { firstHour, type Statistics } from './hours.js';

/**
 * Interval between two reads. Attempts cause a read as well (deliveries/live.ts), but the hours pass without them.
 */
const REFETCH_MS = 60_000;

/** Reads the statistics of each of these webhooks in one request. */
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

/** Reads the statistics of the last `hours`, the current one included, for one webhook or for all. */
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
