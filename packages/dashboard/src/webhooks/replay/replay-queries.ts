import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.js';
import type { Answer, Schemas } from '../../api/types.js';
import type { Span } from './replay-span.js';

export type Replay = Schemas['Operation'];

/** The stream tells how far it has come (live.ts); asked too, because a stream may be cut. */
const REFETCH_MS = 3_000;
const RUNNING = ['replay'] as const;

const pathOf = (webhookId: string) => `/api/webhooks/${encodeURIComponent(webhookId)}/replay`;

/** Counts the deliveries that a replay would send. */
export const countQuery = (webhookId: string, span: Span) =>
  queryOptions({
    queryKey: ['replay-count', webhookId, span],
    gcTime: 0, // an earlier count is out of date
    queryFn: ({ signal }) =>
      call<Schemas['ReplayPreview']>('POST', pathOf(webhookId), { body: span, signal }),
  });

/** Reads the newest replay; null when there was none. */
export const lastReplayQuery = (webhookId: string) =>
  queryOptions({
    queryKey: [...RUNNING, webhookId],
    queryFn: async ({ signal }): Promise<Replay | null> => {
      const query = new URLSearchParams({ webhook_id: webhookId, limit: '1' });
      const path = `/api/webhooks/operations?${query}`;
      const { items } = await call<Answer<'/api/webhooks/operations', 'get'>>('GET', path, {
        signal,
      });
      return items[0] ?? null;
    },
    refetchInterval: ({ state: { data } }) => (data?.status === 'running' ? REFETCH_MS : false),
  });

/** Begins to send again what was counted. */
export async function begin(queries: QueryClient, webhookId: string, span: Span): Promise<void> {
  const body = { ...span, confirm: true };
  const replay = await call<Replay>('POST', pathOf(webhookId), { body });
  queries.setQueryData(lastReplayQuery(webhookId).queryKey, replay);
}

export async function cancel(queries: QueryClient, operationId: string): Promise<void> {
  await call('DELETE', `/api/webhooks/operations/${encodeURIComponent(operationId)}`);
  await queries.invalidateQueries({ queryKey: RUNNING });
}

/** `3 events`, `at least 3 events`. */
export function eventsInWords({
  count,
  count_is_exact: isExact,
}: Pick<Replay, 'count' | 'count_is_exact'>): string {
  const words = `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`;
  return isExact ? words : `at least ${words}`;
}
