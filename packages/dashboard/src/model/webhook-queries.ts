import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call, type Exchanged, exchange } from '../api/client.js';
import type { Answer, Body, Webhook, WebhookChanges, WebhookConfiguration } from '../api/types.js';

const PATH = '/api/webhooks/{id}';
const PAGE = 200;

const ALL = ['webhooks'] as const;
const LIST = [...ALL, 'list'] as const;
const oneKey = (webhookId: string) => [...ALL, 'one', webhookId] as const;

type WebhookPage = Answer<'/api/webhooks', 'get'>;

async function readPages(signal: AbortSignal): Promise<readonly WebhookPage[]> {
  const pages: WebhookPage[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const query = { limit: PAGE, ...(cursor && { cursor }) };
    const page: WebhookPage = await call('get', '/api/webhooks', { params: { query }, signal });
    pages.push(page);
    cursor = page.next_cursor;
  }
  return pages;
}

/** Reads all webhooks of the user, page after page. */
export const readWebhooks = async (signal: AbortSignal): Promise<readonly Webhook[]> =>
  (await readPages(signal)).flatMap(({ items }) => items);

/** Reads how many webhooks the user can have where there is no room for another; null: there is. */
export const fullAtQuery = queryOptions({
  queryKey: [...ALL, 'full'],
  queryFn: async ({ signal }): Promise<number | null> => {
    const pages = await readPages(signal);
    const count = pages.reduce((sum, { items }) => sum + items.length, 0);
    const max = pages[0]?.webhooks_max ?? 0;
    return count < max ? null : max;
  },
});

/** Circuits open and close without anybody's doing: the stream tells it (deliveries/live.ts). */
export const webhooksQuery = queryOptions({
  queryKey: LIST,
  queryFn: ({ signal }) => readWebhooks(signal),
});

/** A webhook with the version that a change of it can be made for. */
export type VersionedWebhook = Webhook & { readonly etag?: string | undefined };

export const webhookQuery = (webhookId: string) =>
  queryOptions({
    queryKey: oneKey(webhookId),
    queryFn: async ({ signal }) =>
      versioned(await exchange('get', PATH, { ...initOf(webhookId), signal })),
  });

const versioned = ({ body, etag }: Exchanged<Webhook>): VersionedWebhook => ({ ...body, etag });

/** Makes the webhook, or changes the one that has this url already. */
export async function configure(queries: QueryClient, configuration: WebhookConfiguration) {
  const answer = await exchange('post', '/api/webhooks/configure', { body: configuration });
  const webhook = versioned(answer);
  await keep(queries, webhook);
  return { created: answer.status === 201, webhook };
}

export async function change(queries: QueryClient, webhookId: string, changes: WebhookChanges) {
  return patch(queries, webhookId, changes);
}

/** Changes that a saved form requests. */
export interface FormChanges {
  readonly changes: WebhookChanges;
  /**
   * Headers and metadata to merge, by name; null removes an entry. The form does not know the stored values, so it
   * cannot send the whole list.
   */
  readonly merged: Pick<WebhookChanges, 'headers' | 'metadata'>;
}

/**
 * Saves a form that was opened with this webhook. Headers and metadata are merged by name (RFC 7396). Because that
 * would merge a filter too, a new filter is then saved in a request of its own.
 * @returns the webhook as it is saved
 * @throws ProblemError `precondition_failed` when the webhook was changed since
 */
export async function save(
  queries: QueryClient,
  webhook: VersionedWebhook,
  { changes, merged }: FormChanges,
): Promise<VersionedWebhook> {
  const { webhook_id: webhookId } = webhook;
  const isMerged = Object.keys(merged).length > 0;
  const isApart = isMerged && changes.filter !== undefined;
  let saved = webhook;
  if (isApart || (!isMerged && Object.keys(changes).length > 0)) {
    saved = await patch(queries, webhookId, changes, saved.etag);
  }
  if (!isMerged) return saved;
  const body = isApart ? merged : { ...changes, ...merged };
  return patch(queries, webhookId, body, saved.etag, {
    'content-type': 'application/merge-patch+json',
  });
}

async function patch(
  queries: QueryClient,
  id: string,
  body: WebhookChanges,
  etag?: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const params = { path: { id }, header: etag === undefined ? {} : { 'If-Match': etag } };
  const webhook = versioned(await exchange('patch', PATH, { params, body, headers }));
  await keep(queries, webhook);
  return webhook;
}

/** Signs with this secret from now on, or with a new one, which is given. The one before it signs for a day more. */
export async function rotateSecret(
  queries: QueryClient,
  webhookId: string,
  secret: string | undefined,
): Promise<string | undefined> {
  const { body, etag } = await exchange('post', `${PATH}/rotate-secret`, {
    ...initOf(webhookId),
    body: secret === undefined ? {} : { secret },
  });
  const { secret: made, ...webhook } = { ...body, etag };
  await keep(queries, webhook);
  return made;
}

/** Content of a test event: the example of a kind, or the data of an event. */
type TestOf = Body<'/api/webhooks/{id}/test', 'post'>;

/** Sends a test event to the webhook alone. Gives the id of the delivery. */
export async function sendTest(webhookId: string, body: TestOf): Promise<string> {
  const { delivery_id: sent } = await call('post', `${PATH}/test`, { ...initOf(webhookId), body });
  return sent;
}

/** Has what waits first attempted now, also while the webhook rests. */
export const probe = (webhookId: string) => call('post', `${PATH}/probe`, initOf(webhookId));

export async function remove(queries: QueryClient, webhookId: string): Promise<void> {
  await call('delete', PATH, initOf(webhookId));
  await queries.invalidateQueries({ queryKey: LIST });
}

async function keep(queries: QueryClient, webhook: VersionedWebhook): Promise<void> {
  const { queryKey } = webhookQuery(webhook.webhook_id);
  await queries.cancelQueries({ queryKey }); // an answer from before the change is out of date
  queries.setQueryData(queryKey, webhook);
  void queries.invalidateQueries({ queryKey: LIST });
}

const initOf = (id: string) => ({ params: { path: { id } } });
