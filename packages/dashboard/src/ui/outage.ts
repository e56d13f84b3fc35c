import { useNetwork } from '@mantine/hooks';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { UnavailableError } from '../api/problem.js';
import { slowWaits } from '../api/waits.js';

export type Outage = 'offline' | 'unavailable' | 'slow';

/**
 * Returns whether something is down or slow at the moment. Follows every read that waits for its next try, and every
 * answer that is waited for.
 */
export function useOutage(): Outage | undefined {
  const { online } = useNetwork();
  const queries = useQueryClient();
  const follow = useCallback(
    (onChange: () => void) => queries.getQueryCache().subscribe(onChange),
    [queries],
  );
  const isDown = useSyncExternalStore(follow, () => isSomethingDown(queries));
  const isSlow = useSyncExternalStore(slowWaits.subscribe, slowWaits.current);
  if (!online) return 'offline';
  if (isDown) return 'unavailable';
  return isSlow ? 'slow' : undefined;
}

/** A query without observers is not repeated, so its last failure says nothing about now. */
const isSomethingDown = (queries: QueryClient): boolean =>
  queries
    .getQueryCache()
    .getAll()
    .filter((query) => query.isActive() || query.state.fetchStatus === 'fetching')
    .some(({ state }) => (state.fetchFailureReason ?? state.error) instanceof UnavailableError);
