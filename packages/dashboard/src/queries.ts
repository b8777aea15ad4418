import { QueryCache, QueryClient } from '@tanstack/preact-query';
import { hasStatus } from './api';

export const SESSION_KEY = ['session'];

/**
 * The client library retries requests itself. When a session has ended, the sign-in replaces the page, unless it has work
 * that is not saved.
 */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (hasStatus(error, 401) && queryKey[0] !== SESSION_KEY[0])
        void queries.invalidateQueries({ queryKey: SESSION_KEY });
    },
  }),
  defaultOptions: { queries: { staleTime: 5_000, retry: false } },
});
