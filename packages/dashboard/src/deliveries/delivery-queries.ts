import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Delivery, DeliveryQuery } from '../api/types.js';
import { type DeliveryFilter, madeAtMs, queryOf } from './filter.js';

const PATH = '/api/webhooks/{id}/deliveries/{deliveryId}';
const PAGE = 50;
/** Requests at once, when several deliveries are sent again. */
const AT_ONCE = 4;

/**
 * Lists deliveries of all webhooks, unless the filter names one. Like all queries of this file, the list is read
 * again when the stream reports a change (live.ts).
 */
export const deliveriesQuery = (filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', filter],
    initialPageParam: '',
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam: cursor, signal }) =>
      list({ ...queryOf(filter, new Date()), ...(cursor && { cursor }) }, PAGE, signal),
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

/** The delivery with this id, of whichever webhook; undefined: there is none. */
export async function findDelivery(deliveryId: string) {
  const madeAt = madeAtMs(deliveryId);
  const [from, to] = [madeAt, madeAt + 1].map((ms) => new Date(ms).toISOString());
  const { items } = await list({ from: from ?? '', to: to ?? '' }, 200);
  return items.find(({ delivery_id: id }) => id === deliveryId);
}

const list = (query: DeliveryQuery, limit: number, signal?: AbortSignal) =>
  call('get', '/api/deliveries', {
    params: { query: { limit, ...query } },
    ...(signal && { signal }),
  });

export const deliveryQuery = (webhookId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['delivery', webhookId, deliveryId],
    queryFn: ({ signal }) =>
      call('get', '/api/deliveries/{deliveryId}', { params: { path: { deliveryId } }, signal }),
  });

/** Sends it again, or the one that waits at once. Gives the id of what is sent. */
export async function redeliver(
  queries: QueryClient,
  webhookId: string,
  deliveryId: string,
): Promise<string> {
  const sent = await requestRedelivery(webhookId, deliveryId);
  readAgain(queries);
  return sent;
}

/** Sends all of these again, and returns the refusals by delivery. */
export async function redeliverAll(
  queries: QueryClient,
  deliveries: readonly Delivery[],
): Promise<ReadonlyMap<string, unknown>> {
  const refusals = new Map<string, unknown>();
  const left = deliveries.toReversed(); // the oldest first, as they came
  const sendOn = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { webhook_id: webhookId, delivery_id: deliveryId } = next;
      await requestRedelivery(webhookId, deliveryId).catch((error: unknown) => {
        refusals.set(deliveryId, error);
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn));
  readAgain(queries);
  return refusals;
}

async function requestRedelivery(webhookId: string, deliveryId: string): Promise<string> {
  const init = initOf(webhookId, deliveryId);
  const { delivery_id: sent } = await call('post', `${PATH}/redeliver`, init);
  return sent;
}

function readAgain(queries: QueryClient): void {
  for (const name of ['delivery', 'deliveries', 'event', 'webhooks']) {
    void queries.invalidateQueries({ queryKey: [name] });
  }
}

const initOf = (id: string, deliveryId: string) => ({ params: { path: { id, deliveryId } } });
