import { useQuery } from '@tanstack/preact-query';
import { createContext } from 'preact';
import { canPass, hasStatus } from './api';
import { SESSION_KEY } from './queries';
import { sessions, type Scope, type Session } from './session-calls';

/** Delay before the page asks again when the service was away, or the organization is suspended. */
const AGAIN_MS = 3_000;

export function useSession() {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => sessions.get(signal),
    staleTime: 60_000,
    // Another tab can have signed out, or signed in somebody else.
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data, error } }) => {
      if (hasStatus(error, 401)) return false;
      return (canPass(error) || isSuspended(data)) && AGAIN_MS;
    },
  });
}

/** True where the page says that the session has ended, and while it finds out: a failure need not say so, too. */
export const SessionEnding = createContext(false);

/** During an upgrade, the response can lack the field. */
export function isSuspended(session: Session | undefined): boolean {
  return typeof session?.suspended === 'string';
}

/** True if the user has the scope. The service decides; the page only hides actions that would be refused. */
export function useCan(scope: Scope): boolean {
  return useSession().data?.scopes.includes(scope) ?? false;
}

/** True if the user may change keys and people. */
export function useIsOwner(): boolean {
  return useSession().data?.organization.role === 'owner';
}
