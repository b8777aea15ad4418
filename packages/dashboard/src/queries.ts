import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/preact-query';
import { hasStatus } from './api';

export const SESSION_KEY = ['session'];

/**
 * The client library retries requests itself. When a session has ended, the sign-in replaces the page, unless it has
 * work that is not saved.
 */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => queryKey[0] !== SESSION_KEY[0] && readSessionAfter(error),
  }),
  mutationCache: new MutationCache({ onError: readSessionAfter }),
  defaultOptions: {
    // A browser without a network can still reach a service on its own machine. Otherwise a change fails and says so:
    // one that waited would be made when nobody expects it any more.
    queries: { staleTime: 5_000, retry: false, networkMode: 'always', refetchOnReconnect: true },
    mutations: { networkMode: 'always' },
  },
});

/**
 * Reads what is shown again after a change. A first read that is still under way may have begun before the change: the
 * library would take it for the new one, and the page would lack what was changed.
 * @param queryKey of what the change concerns: everything by default
 */
export async function readAgain(queryKey: QueryKey = []): Promise<void> {
  await queries.cancelQueries({ queryKey, predicate: ({ state }) => state.data === undefined });
  await queries.invalidateQueries({ queryKey });
}

/** Reads the session again if it may have ended, or the user or the organization may by now be allowed less. */
export function readSessionAfter(error: unknown): void {
  if (!hasStatus(error, 401) && !hasStatus(error, 403)) return;
  // A page whose user is asked whether to leave it stays pending, and must not ask again.
  void queries.invalidateQueries({ queryKey: SESSION_KEY }, { cancelRefetch: false });
}
