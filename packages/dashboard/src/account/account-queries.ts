import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Body } from '../api/types.js';

const SESSIONS = '/api/auth/sessions';
const API_KEYS = '/api/auth/api-keys';

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) => (await call('get', SESSIONS, { signal })).items,
});

export const apiKeysQuery = queryOptions({
  queryKey: ['account', 'api-keys'],
  queryFn: async ({ signal }) => (await call('get', API_KEYS, { signal })).items,
});

/** Returns the name of the issuer at which the user signs in, as people know it. */
export function useIssuerName(origin: string | undefined): string | undefined {
  const { data } = useQuery(issuersQuery);
  return data?.items.find(({ id }) => id === origin)?.display_name ?? origin;
}

const issuersQuery = queryOptions({
  queryKey: ['sign-in-issuers'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => call('get', '/api/auth/sign-in-issuers', { signal }),
});

/** Ends the session with this id; without an id, ends all sessions except the current one. */
export async function endSession(queries: QueryClient, id?: string): Promise<void> {
  if (id === undefined) await call('delete', SESSIONS);
  else await call('delete', `${SESSIONS}/{id}`, { params: { path: { id } } });
  await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
}

/** Body of a request for a new API key. Without scopes the key is not limited. */
export type NewApiKey = Body<typeof API_KEYS, 'post'>;

/** Resolves to the key itself, which is told this once. */
export async function createApiKey(queries: QueryClient, body: NewApiKey): Promise<string> {
  const { key } = await call('post', API_KEYS, { body });
  await queries.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  return key;
}

/** Resolves to the new key; the one before it is taken for the overlap, in seconds. */
export async function rotateApiKey(
  queries: QueryClient,
  id: string,
  overlapS: number,
): Promise<string> {
  const { key } = await call('post', `${API_KEYS}/{id}/rotate`, {
    params: { path: { id } },
    body: { overlap_s: overlapS },
  });
  await queries.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  return key;
}

export async function revokeApiKey(queries: QueryClient, id: string): Promise<void> {
  await call('delete', `${API_KEYS}/{id}`, { params: { path: { id } } });
  await queries.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
}
