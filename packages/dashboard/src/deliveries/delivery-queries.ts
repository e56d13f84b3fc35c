import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { isNotFound } from '../api/problem.js';
import type { Answer, DeliveryDetail } from '../api/types.js';
import type { DeliveryFilter } from './filter.js';

const PAGE = 25;
/** Asked only while the page is looked at; less often the more of it there is to read again. */
const REFETCH_MS = 3_000;

const pathOf = (webhookId: string) => `/api/webhooks/${encodeURIComponent(webhookId)}/deliveries`;

type Deliveries = Answer<'/api/webhooks/{id}/deliveries', 'get'>;

export const deliveriesQuery = (webhookId: string, { status, kind }: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', webhookId, { status, kind }],
    initialPageParam: '',
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = new URLSearchParams({
        limit: String(PAGE),
        ...(status && { status }),
        ...(kind && { kind }),
        ...(cursor && { cursor }),
      });
      return call<Deliveries>('GET', `${pathOf(webhookId)}?${query}`, { signal });
    },
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    refetchInterval: ({ state }) => REFETCH_MS * Math.max(1, state.data?.pages.length ?? 1),
  });

export const deliveryQuery = (webhookId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', webhookId, deliveryId],
    queryFn: ({ signal }) =>
      call<DeliveryDetail>('GET', `${pathOf(webhookId)}/${encodeURIComponent(deliveryId)}`, {
        signal,
      }),
    // What has ended does not change any more, and what is gone does not come back.
    refetchInterval: ({ state: { data, error } }) =>
      data?.ended_at || isNotFound(error) ? false : REFETCH_MS,
  });
