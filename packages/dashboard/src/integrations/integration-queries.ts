import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { HistoryItem, Integration, Page, Provider } from '../api/types.js';
import { rememberBegun } from './begun-states.js';
import { PROVIDERS } from './providers.js';

const PAGE = 10;
/** Access is lost without anybody's doing here. Asked only while the page is looked at. */
const REFETCH_MS = 5_000;

/** Both, whether they were ever connected or not, in the order of the page. */
export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  refetchInterval: REFETCH_MS,
  queryFn: async ({ signal }): Promise<readonly Integration[]> => {
    const path = '/api/integrations';
    const { integrations } = await call<{ integrations: Integration[] }>('GET', path, { signal });
    return PROVIDERS.map(
      ({ provider }) =>
        integrations.find((one) => one.provider === provider) ?? neverConnected(provider),
    );
  },
});

const neverConnected = (provider: Provider): Integration => ({
  provider,
  connected: false,
  status: 'not_connected',
});

export const historyQuery = (provider: Provider) =>
  infiniteQueryOptions({
    queryKey: [...integrationsQuery.queryKey, provider, 'history'],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = new URLSearchParams({ limit: String(PAGE), ...(cursor && { cursor }) });
      return call<Page<HistoryItem>>('GET', `${pathOf(provider)}/history?${query}`, { signal });
    },
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    refetchInterval: ({ state }) => REFETCH_MS * Math.max(1, state.data?.pages.length ?? 1),
  });

/** Leaves for the provider's consent page. The answer comes back to the callback page. */
export async function beginConnecting(provider: Provider): Promise<void> {
  const { authorization_url: url, state } = await call<
    Record<'authorization_url' | 'state', string>
  >('GET', `${pathOf(provider)}/authorize`);
  // Assigning a javascript: URL would run it.
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Error('The provider has no web page.');
  rememberBegun(sessionStorage, provider, state);
  window.location.assign(url);
}

export async function disconnect(queries: QueryClient, provider: Provider): Promise<void> {
  await call('DELETE', pathOf(provider));
  const { queryKey } = integrationsQuery;
  // Inactive queries too: the next page must not show the old state.
  await queries.invalidateQueries({ queryKey, refetchType: 'all' });
}

/** RFC 6749's code, and what came with it. */
export interface CodeAnswer {
  readonly code: string;
  readonly state?: string;
  readonly iss?: string;
}

export async function connect(provider: Provider, { code, state, iss }: CodeAnswer): Promise<void> {
  await call('POST', `${pathOf(provider)}/connect`, { body: { auth_code: code, state, iss } });
}

/** Where the answer with this state is to be forwarded to; null: nowhere. */
export async function returnToOf(provider: Provider, state: string): Promise<string | null> {
  const path = `${pathOf(provider)}/return-to`;
  const { return_to: returnTo } = await call<{ return_to: string | null }>('POST', path, {
    body: { state },
  });
  return returnTo;
}

const pathOf = (provider: Provider) => `/api/integrations/${provider}`;
