import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../api/client.js';
import type { Client, Integration } from '../api/types.js';
import { integrationsQuery } from '../model/integrations-query.js';
import { liveSource } from '../session/live-source.js';
import { rememberBegun } from './begun-states.js';

const PAGE = 10;
const ROOT = '/api/integrations';

const changes = liveSource(`${ROOT}/stream`, ['integration']);

/** Reads again what the stream says has changed: access is lost without anybody's doing here. */
export function useLiveIntegrations(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const missed = () => void readAgain(queries);
    const heard = (_type: string, data: string) => {
      const { integration_id: id } = JSON.parse(data) as Integration;
      const known = queries
        .getQueryData(integrationsQuery.queryKey)
        ?.find((one) => one.integration_id === id);
      // A stream begins with everything as it is.
      if (JSON.stringify(known) !== data) missed();
    };
    return changes.follow({ heard, missed }, queries);
  }, [queries]);
}

/** Reads the identity providers at which accounts can be connected, in the operator's order. */
export const identityProvidersQuery = queryOptions({
  queryKey: ['identity-providers'],
  // The list changes only when the service starts again.
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) =>
    (await call('get', `${ROOT}/identity-providers`, { signal })).identity_providers,
});

export const historyQuery = (integrationId: string) =>
  infiniteQueryOptions({
    queryKey: [...integrationsQuery.queryKey, integrationId, 'history'],
    initialPageParam: '',
    queryFn: ({ pageParam: cursor, signal }) =>
      call('get', `${ROOT}/{integration}/history`, {
        params: {
          path: { integration: integrationId },
          query: { limit: PAGE, ...(cursor && { cursor }) },
        },
        signal,
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

/** Leaves for the provider's consent page. The answer comes back to the callback page. */
export async function beginConnecting(client: Client): Promise<void> {
  const { provider, identityProvider: identity_provider } = client;
  const params = { path: { provider }, query: { identity_provider } };
  const { authorization_url: url, state } = await call('get', `${ROOT}/{provider}/authorize`, {
    params,
  });
  // Assigning a javascript: URL would run it.
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Error('The provider has no web page.');
  rememberBegun(sessionStorage, client, state);
  window.location.assign(url);
}

export async function disconnect(queries: QueryClient, integrationId: string): Promise<void> {
  await call('delete', `${ROOT}/{integration}`, {
    params: { path: { integration: integrationId } },
  });
  await readAgain(queries);
}

/** Lets this account serve whoever asks for its kind and names no account. */
export async function makePrimary(queries: QueryClient, integrationId: string): Promise<void> {
  await call('post', `${ROOT}/{integrationId}/primary`, { params: { path: { integrationId } } });
  await readAgain(queries);
}

/** Inactive queries too: the next page must not show the old state. */
const readAgain = (queries: QueryClient) =>
  queries.invalidateQueries({ queryKey: integrationsQuery.queryKey, refetchType: 'all' });

/** RFC 6749's code, and what came with it. */
export interface CodeAnswer {
  readonly code: string;
  readonly state?: string;
  readonly iss?: string;
}

/** Connects with the provider's answer, and returns the id of the connected integration. */
export async function connect(
  { provider, identityProvider: identity_provider }: Client,
  { code: auth_code, state, iss }: CodeAnswer,
): Promise<string> {
  const { integration_id: id } = await call('post', `${ROOT}/{provider}/connect`, {
    params: { path: { provider } },
    body: { auth_code, ...(state && { state }), ...(iss && { iss }), identity_provider },
  });
  return id;
}

/** Returns the address to which the answer with this state is to be forwarded; null: the answer stays here. */
export async function returnToOf(
  { provider, identityProvider: identity_provider }: Client,
  state: string,
): Promise<string | null> {
  const { return_to: returnTo } = await call('post', `${ROOT}/{provider}/return-to`, {
    params: { path: { provider } },
    body: { state, identity_provider },
  });
  return returnTo;
}
