import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';

/** The least that RETENTION_DAYS can be: of an older webhook the deliveries may be gone. */
const REMEMBERED_MS = 7 * 86_400_000;

/** Progress of an account with webhooks. */
export interface Start {
  /** The newest, if there is one. */
  readonly webhookId: string | undefined;
  /** An event was sent to it. */
  readonly isSent: boolean;
  /** A receiver accepted one. */
  readonly isAccepted: boolean;
}

/**
 * Reads the progress. The key begins with `deliveries`, so that whatever reads deliveries again reads this query too.
 */
export const startQuery = queryOptions({
  queryKey: ['deliveries', 'start'],
  staleTime: 0, // the steps are done on other pages
  queryFn: async ({ signal }): Promise<Start> => {
    const { items } = await call('get', '/api/webhooks', { signal });
    const newest = [...items].sort((one, other) =>
      other.created_at.localeCompare(one.created_at),
    )[0];
    const webhookId = newest?.webhook_id;
    if (webhookId === undefined) return { webhookId, isSent: false, isAccepted: false };
    const isOld = items.some(({ created_at: at }) => Date.now() - Date.parse(at) > REMEMBERED_MS);
    if (isOld || (await hasDelivery({ status: 'succeeded' }, signal))) {
      return { webhookId, isSent: true, isAccepted: true };
    }
    return { webhookId, isSent: await hasDelivery({}, signal), isAccepted: false };
  },
});

async function hasDelivery(
  filter: { readonly status?: string },
  signal: AbortSignal,
): Promise<boolean> {
  const params = { query: { ...filter, limit: 1 } };
  return (await call('get', '/api/deliveries', { params, signal })).items.length > 0;
}
