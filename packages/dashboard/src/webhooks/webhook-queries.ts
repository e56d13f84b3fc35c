import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import { call, exchange } from '../api/client.js';
import type {
  Answer,
  Schemas,
  Webhook,
  WebhookChanges,
  WebhookConfiguration,
} from '../api/types.js';
import type { FormChanges } from './form/form-changes.js';

const PAGE = 25;

const ALL = ['webhooks'] as const;
const LIST = [...ALL, 'list'] as const;
const oneKey = (webhookId: string) => [...ALL, 'one', webhookId] as const;

/** Circuits open and close without anybody's doing: the stream tells it (deliveries/live.ts). */
export const webhooksQuery = infiniteQueryOptions({
  queryKey: LIST,
  initialPageParam: '',
  placeholderData: keepPreviousData,
  queryFn: ({ pageParam: cursor, signal }) => {
    const query = new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) });
    return call<Answer<'/api/webhooks', 'get'>>('GET', `/api/webhooks?${query}`, { signal });
  },
  getNextPageParam: ({ next_cursor: cursor }) => cursor,
});

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: oneKey(webhookId),
    queryFn: ({ signal }) => call<Webhook>('GET', pathOf(webhookId), { signal }),
  });

/** Makes the webhook, or changes the one that has this url already. */
export async function configure(queries: QueryClient, configuration: WebhookConfiguration) {
  const { status, body } = await exchange('POST', '/api/webhooks/configure', {
    body: configuration,
  });
  const webhook = body as Webhook;
  await keep(queries, webhook);
  return { created: status === 201, webhook };
}

export async function change(queries: QueryClient, webhookId: string, changes: WebhookChanges) {
  const webhook = await call<Webhook>('PATCH', pathOf(webhookId), { body: changes });
  await keep(queries, webhook);
  return webhook;
}

/**
 * Saves a form. Headers and metadata are merged by name (RFC 7396). Because that would merge a filter too, a new
 * filter is then saved in a request of its own.
 */
export async function save(
  queries: QueryClient,
  webhookId: string,
  { changes, merged }: FormChanges,
): Promise<void> {
  const isMerged = Object.keys(merged).length > 0;
  const isApart = isMerged && changes.filter !== undefined;
  if (isApart || (!isMerged && Object.keys(changes).length > 0)) {
    await change(queries, webhookId, changes);
  }
  if (!isMerged) return;
  const webhook = await call<Webhook>('PATCH', pathOf(webhookId), {
    contentType: 'application/merge-patch+json',
    body: isApart ? merged : { ...changes, ...merged },
  });
  await keep(queries, webhook);
}

/** Signs with this secret from now on, or with a new one, which is given. The one before it signs for a day more. */
export async function rotateSecret(
  queries: QueryClient,
  webhookId: string,
  secret: string | undefined,
): Promise<string | undefined> {
  const { secret: made, ...webhook } = await call<Schemas['RotatedWebhook']>(
    'POST',
    `${pathOf(webhookId)}/rotate-secret`,
    { body: secret === undefined ? {} : { secret } },
  );
  await keep(queries, webhook);
  return made;
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

/** Has what waits first attempted now, also while the webhook rests. */
export const probe = (webhookId: string) =>
  call<Answer<'/api/webhooks/{id}/probe', 'post'>>('POST', `${pathOf(webhookId)}/probe`, {
    body: {},
  });

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
