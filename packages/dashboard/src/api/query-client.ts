import { QueryClient } from '@tanstack/react-query';
import { UnavailableError } from './problem.js';

const FRESH_MS = 5_000;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 5_000;

/**
 * Reads are repeated for as long as a service is down, so that a page recovers by itself; what was
 * refused is not asked again. Changes are sent once: whether to repeat one is the user's to say.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
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
