import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut } from './client.js';
import { UnavailableError } from './problem.js';

const FRESH_MS = 5_000;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 5_000;

/**
 * Reads are repeated for as long as a service is down, so that a page recovers by itself; what was
 * refused is not asked again. Changes are sent once: whether to repeat one is the user's to say.
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({
      // At sign-in a 401 is about the password that was just typed.
      onError: (error, _variables, _result, { meta }) => meta?.['signsIn'] || onError(error),
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        networkMode: 'always',
        retry: (_count, error) => error instanceof UnavailableError,
        retryDelay: (count) => Math.min(RETRY_MS * 2 ** count, RETRY_MS_MAX),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
