import type { UseQueryResult } from '@tanstack/preact-query';
import { useRef } from 'preact/hooks';

/** True from the first failure until there is data: while the query runs again, it is pending and has no error. */
export function isUnread({ data, errorUpdateCount }: Pick<UseQueryResult, 'data' | 'errorUpdateCount'>): boolean {
  return data === undefined && errorUpdateCount > 0;
}

/** The last error of an unread query. What is shown for it would otherwise vanish and return with each try. */
export function useLastError(query: Pick<UseQueryResult, 'data' | 'error' | 'errorUpdateCount'>): Error | null {
  const last = useRef<Error | null>(null);
  if (!isUnread(query)) last.current = null;
  else if (query.error) last.current = query.error;
  return last.current;
}
