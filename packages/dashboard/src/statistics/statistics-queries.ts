import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { firstStep, RANGES, type Range, type Statistics } from './steps.js';

/**
 * Interval between two reads. Attempts cause a read as well (deliveries/live.ts), but the hours pass without them.
 */
const REFETCH_MS = 60_000;
const DAY_MS = 86_400_000;
/** Webhooks that the API counts in one request. */
const WEBHOOKS_MAX = 100;

/** Numbers of one webhook among several. */
export type WebhookNumbers = NonNullable<Statistics['webhooks']>[number];

/** Reads the last day of each of these webhooks by its id, and the marks of its last attempts. */
const eachStatisticsQuery = (webhookIds: readonly string[]) =>
  queryOptions({
    queryKey: ['statistics', 'each', webhookIds],
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, WebhookNumbers>> => {
      const from = firstStep(new Date(), '24h').toISOString();
      const numbers: WebhookNumbers[] = [];
      for (let n = 0; n < webhookIds.length; n += WEBHOOKS_MAX) {
        const ids = webhookIds.slice(n, n + WEBHOOKS_MAX).join();
        const params = { query: { from, webhook_ids: ids } };
        const { webhooks = [] } = await call('get', '/api/webhooks/stats', { params, signal });
        numbers.push(...webhooks);
      }
      return new Map(numbers.map((one) => [one.webhook_id, one]));
    },
  });

/** Returns the numbers of these webhooks by their ids; undefined while they are loading. */
export const useEachStatistics = (webhookIds: readonly string[]) =>
  useQuery({ ...eachStatisticsQuery(webhookIds), enabled: webhookIds.length > 0 }).data;

/** Reads the statistics of all webhooks for the day before the last 24 hours. */
export const dayBeforeQuery = queryOptions({
  queryKey: ['day-before'],
  refetchInterval: 10 * REFETCH_MS,
  queryFn: ({ signal }) => {
    const to = firstStep(new Date(), '24h');
    const query = { from: new Date(to.getTime() - DAY_MS).toISOString(), to: to.toISOString() };
    return call('get', '/api/webhooks/stats', { params: { query }, signal });
  },
});

/** Reads the statistics of a range that ends now, of one webhook or of all, by time, kind and response too. */
export const statisticsQuery = (webhookId: string | undefined, range: Range) =>
  queryOptions({
    queryKey: ['statistics', webhookId ?? null, range],
    refetchInterval: REFETCH_MS,
    queryFn: ({ signal }) => {
      const query = { from: firstStep(new Date(), range).toISOString(), step: RANGES[range].step };
      const of = webhookId === undefined ? {} : { webhook_id: webhookId };
      return call('get', '/api/webhooks/stats', { params: { query: { ...query, ...of } }, signal });
    },
  });
