import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { call, exchange } from '../api/client.js';
import { isNotFound } from '../api/problem.js';
import type { Answer, Body, Webhook } from '../api/types.js';

const PAGE = 25;
/** Circuits open and close without anybody's doing. Asked only while the page is looked at. */
const REFETCH_MS = 5_000;

const ALL = ['webhooks'] as const;
const LIST = [...ALL, 'list'] as const;
const oneKey = (webhookId: string) => [...ALL, 'one', webhookId] as const;

export const webhooksQuery = infiniteQueryOptions({
  queryKey: LIST,
  initialPageParam: '',
  placeholderData: keepPreviousData,
  queryFn: ({ pageParam: cursor, signal }) => {
    const query = new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) });
    return call<Answer<'/api/webhooks', 'get'>>('GET', `/api/webhooks?${query}`, { signal });
  },
  getNextPageParam: ({ next_cursor: cursor }) => cursor,
  refetchInterval: ({ state }) => REFETCH_MS * Math.max(1, state.data?.pages.length ?? 1),
});

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: oneKey(webhookId),
    queryFn: ({ signal }) => call<Webhook>('GET', pathOf(webhookId), { signal }),
    refetchInterval: ({ state }) => (isNotFound(state.error) ? false : REFETCH_MS),
  });

/** What configure takes. */
export type Configuration = Body<'/api/webhooks/configure', 'post'>;

export type Changes = Body<'/api/webhooks/{id}', 'patch'>;

/** Makes the webhook, or changes the one that has this url already. */
export async function configure(queries: QueryClient, configuration: Configuration) {
  const { status, body } = await exchange('POST', '/api/webhooks/configure', {
    body: configuration,
  });
  const webhook = body as Webhook;
  await keep(queries, webhook);
  return { created: status === 201, webhook };
}

export async function change(queries: QueryClient, webhookId: string, changes: Changes) {
  const webhook = await call<Webhook>('PATCH', pathOf(webhookId), { body: changes });
  await keep(queries, webhook);
  return webhook;
}

/** Sends the example of this kind to the webhook alone. Gives the id of the delivery. */
export async function sendTest(webhookId: string, kind: string): Promise<string> {
  const { delivery_id: sent } = await call<Answer<'/api/webhooks/{id}/test', 'post'>>(
    'POST',
    `${pathOf(webhookId)}/test`,
    { body: { kind } },
  );
  return sent;
}

export async function remove(queries: QueryClient, webhookId: string): Promise<void> {
  await call('DELETE', pathOf(webhookId));
  await queries.invalidateQueries({ queryKey: LIST });
}

async function keep(queries: QueryClient, webhook: Webhook): Promise<void> {
  const { queryKey } = webhookQuery(webhook.webhook_id);
  await queries.cancelQueries({ queryKey }); // an answer from before the change is out of date
  queries.setQueryData(queryKey, webhook);
  void queries.invalidateQueries({ queryKey: LIST });
}

const pathOf = (webhookId: string) => `/api/webhooks/${encodeURIComponent(webhookId)}`;
