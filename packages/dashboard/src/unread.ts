import type { UseQueryResult } from '@tanstack/preact-query';
import { useRef } from 'preact/hooks';

/**
 * The last error of a query that has no data: while it runs again, it is pending and has no error. What replaces the
 * error would otherwise vanish and return with each try.
 */
export function useLastError({
  data,
  error,
  errorUpdateCount,
}: Pick<UseQueryResult, 'data' | 'error' | 'errorUpdateCount'>): Error | null {
  const last = useRef<Error | null>(null);
  if (data !== undefined || errorUpdateCount === 0) last.current = null;
  else if (error) last.current = error;
  return last.current;
}
