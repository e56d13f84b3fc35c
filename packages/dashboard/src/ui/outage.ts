import { useNetwork } from '@mantine/hooks';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { UnavailableError } from '../api/problem.js';

export type Outage = 'offline' | 'unavailable';

/** Returns whether something is down at the moment. Follows every read that waits for its next try. */
export function useOutage(): Outage | undefined {
  const { online } = useNetwork();
  const queries = useQueryClient();
  const follow = useCallback(
    (onChange: () => void) => queries.getQueryCache().subscribe(onChange),
    [queries],
  );
  const waiting = useSyncExternalStore(follow, () => isSomethingDown(queries));
  if (!online) return 'offline';
  return waiting ? 'unavailable' : undefined;
}

/** A query without observers is not repeated, so its last failure says nothing about now. */
const isSomethingDown = (queries: QueryClient): boolean =>
  queries
    .getQueryCache()
    .getAll()
    .filter((query) => query.isActive() || query.state.fetchStatus === 'fetching')
    .some(({ state }) => (state.fetchFailureReason ?? state.error) instanceof UnavailableError);
