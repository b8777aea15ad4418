import { MutationCache, QueryCache, QueryClient } from '@tanstack/preact-query';
import { hasStatus } from './api';

export const SESSION_KEY = ['session'];

/**
 * The client library retries requests itself. When a session has ended, the sign-in replaces the page, unless it has work
 * that is not saved.
 */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    // A user who was removed from the organization gets a 403.
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== SESSION_KEY[0] && (hasStatus(error, 401) || hasStatus(error, 403))) readSession();
    },
  }),
  mutationCache: new MutationCache({ onError: (error) => hasStatus(error, 401) && readSession() }),
  defaultOptions: {
    // A browser without a network can still reach a service on its own machine. Otherwise a change fails and says so:
    // one that waited would be made when nobody expects it any more.
    queries: { staleTime: 5_000, retry: false, networkMode: 'always', refetchOnReconnect: true },
    mutations: { networkMode: 'always' },
  },
});

function readSession(): void {
  // A page whose user is asked whether to leave it stays pending, and must not ask again.
  void queries.invalidateQueries({ queryKey: SESSION_KEY }, { cancelRefetch: false });
}
