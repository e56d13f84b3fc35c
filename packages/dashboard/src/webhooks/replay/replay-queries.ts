import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.js';
import type { Schemas } from '../../api/types.js';
import type { Span } from './replay-span.js';

export type Replay = Schemas['Operation'];

/** The stream tells how far it has come (live.ts); asked too, because a stream may be cut. */
const REFETCH_MS = 3_000;
const RUNNING = ['replay'] as const;

const PATH = '/api/webhooks/{id}/replay';
const OPERATIONS = '/api/webhooks/operations';

/** Counts the deliveries that a replay would send. */
export const countQuery = (webhookId: string, span: Span) =>
  queryOptions({
    queryKey: ['replay-count', webhookId, span],
    gcTime: 0, // an earlier count is out of date
    queryFn: ({ signal }) =>
      call('post', PATH, { params: { path: { id: webhookId } }, body: span, signal }),
  });

/** Reads the newest replay; null when there was none. */
export const lastReplayQuery = (webhookId: string) =>
  queryOptions({
    queryKey: [...RUNNING, webhookId],
    queryFn: async ({ signal }): Promise<Replay | null> => {
      const params = { query: { webhook_id: webhookId, limit: 1 } };
      const { items } = await call('get', OPERATIONS, { params, signal });
      return items[0] ?? null;
    },
    refetchInterval: ({ state: { data } }) => (data?.status === 'running' ? REFETCH_MS : false),
  });

/** Begins to send again what was counted. */
export async function begin(queries: QueryClient, webhookId: string, span: Span): Promise<void> {
  const params = { path: { id: webhookId } };
  const replay = await call('post', PATH, { params, body: { ...span, confirm: true } });
  if ('operation_id' in replay) queries.setQueryData(lastReplayQuery(webhookId).queryKey, replay);
}

export async function cancel(queries: QueryClient, operationId: string): Promise<void> {
  await call('delete', `${OPERATIONS}/{id}`, { params: { path: { id: operationId } } });
  await queries.invalidateQueries({ queryKey: RUNNING });
}
