import { useNetwork } from '@mantine/hooks';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { UnavailableError } from '../api/problem.js';

export type Outage = 'offline' | 'unavailable';

/** Is something down at the moment? Follows every read that waits for its next try. */
export function useOutage(): Outage | undefined {
  const { online } = useNetwork();
  const queries = useQueryClient();
  useIsFetching(); // renders again whenever a read begins, fails or ends
  if (!online) return 'offline';
  const waiting = queries
    .getQueryCache()
    .getAll()
    .some(({ state }) => (state.fetchFailureReason ?? state.error) instanceof UnavailableError);
  return waiting ? 'unavailable' : undefined;
}
