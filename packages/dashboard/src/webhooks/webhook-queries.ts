import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type CallOptions, call, type Exchanged, exchange } from '../api/client.js';
import type {
  Answer,
  Body,
  Schemas,
  Webhook,
  WebhookChanges,
  WebhookConfiguration,
} from '../api/types.js';
import type { FormChanges } from './form/form-changes.js';

const PAGE = 200;

const ALL = ['webhooks'] as const;
const LIST = [...ALL, 'list'] as const;
const oneKey = (webhookId: string) => [...ALL, 'one', webhookId] as const;

/** Reads all webhooks of the user, page after page. */
export async function readWebhooks(signal: AbortSignal): Promise<readonly Webhook[]> {
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
}

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
    queryFn: async ({ signal }) => versioned(await exchange('GET', pathOf(webhookId), { signal })),
  });

const versioned = ({ body, etag }: Exchanged): VersionedWebhook => ({ ...(body as Webhook), etag });

/** Makes the webhook, or changes the one that has this url already. */
export async function configure(queries: QueryClient, configuration: WebhookConfiguration) {
  const answer = await exchange('POST', '/api/webhooks/configure', { body: configuration });
  const webhook = versioned(answer);
  await keep(queries, webhook);
  return { created: answer.status === 201, webhook };
}

export async function change(queries: QueryClient, webhookId: string, changes: WebhookChanges) {
  return patch(queries, webhookId, { body: changes });
}

/**
 * Saves a form that was opened with this webhook. Headers and metadata are merged by name (RFC 7396). Because that
 * would merge a filter too, a new filter is then saved in a request of its own.
 * @throws ProblemError `precondition_failed` when the webhook was changed since
 */
export async function save(
  queries: QueryClient,
  { webhook_id: webhookId, etag }: VersionedWebhook,
  { changes, merged }: FormChanges,
): Promise<void> {
  const isMerged = Object.keys(merged).length > 0;
  const isApart = isMerged && changes.filter !== undefined;
  let ifMatch = etag;
  if (isApart || (!isMerged && Object.keys(changes).length > 0)) {
    ({ etag: ifMatch } = await patch(queries, webhookId, { body: changes, ifMatch }));
  }
  if (!isMerged) return;
  const body = isApart ? merged : { ...changes, ...merged };
  const contentType = 'application/merge-patch+json';
  await patch(queries, webhookId, { contentType, body, ifMatch });
}

async function patch(queries: QueryClient, webhookId: string, options: CallOptions) {
  const webhook = versioned(await exchange('PATCH', pathOf(webhookId), options));
  await keep(queries, webhook);
  return webhook;
}

/** Signs with this secret from now on, or with a new one, which is given. The one before it signs for a day more. */
export async function rotateSecret(
  queries: QueryClient,
  webhookId: string,
  secret: string | undefined,
): Promise<string | undefined> {
  const answer = await exchange('POST', `${pathOf(webhookId)}/rotate-secret`, {
    body: secret === undefined ? {} : { secret },
  });
  const { secret: made, ...webhook } = { ...(answer.body as Rotated), etag: answer.etag };
  await keep(queries, webhook);
  return made;
}

/** Content of a test event: the example of a kind, or the data of an event. */
type TestOf = Body<'/api/webhooks/{id}/test', 'post'>;

/** Sends a test event to the webhook alone. Gives the id of the delivery. */
export async function sendTest(webhookId: string, of: TestOf): Promise<string> {
  const { delivery_id: sent } = await call<Answer<'/api/webhooks/{id}/test', 'post'>>(
    'POST',
    `${pathOf(webhookId)}/test`,
    { body: of },
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

type Rotated = Schemas['RotatedWebhook'];

async function keep(queries: QueryClient, webhook: VersionedWebhook): Promise<void> {
  const { queryKey } = webhookQuery(webhook.webhook_id);
  await queries.cancelQueries({ queryKey }); // an answer from before the change is out of date
  queries.setQueryData(queryKey, webhook);
  void queries.invalidateQueries({ queryKey: LIST });
}

const pathOf = (webhookId: string) => `/api/webhooks/${encodeURIComponent(webhookId)}`;
