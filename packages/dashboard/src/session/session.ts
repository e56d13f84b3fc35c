import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call, isSignedOut } from '../api/client.js';
import type { User } from '../api/types.js';
import { tellTabs } from './tabs.js';

/** The signed-in user; null without one. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<User | null> => {
    try {
      return (await call('get', '/api/auth/me', { signal })).user;
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
});

export async function signOut(queries: QueryClient): Promise<void> {
  await call('delete', '/api/auth/session');
  forgetSession(queries);
}

/** After the end of the session: nothing that was seen in it stays, in this tab and in the others. */
export function forgetSession(queries: QueryClient): void {
  queries.clear();
  queries.setQueryData(sessionQuery.queryKey, null);
  tellTabs(null);
}
