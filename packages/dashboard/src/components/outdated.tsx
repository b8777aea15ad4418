import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { failureOfShown } from '../paged-list';
import { messageOf } from './states';

/** Shown above a page whose data could not be read again, such as while the service is away or after a deletion. */
export function Outdated() {
  const reason = useReason();
  return (
    <div role="status">
      {reason !== undefined && <p class="notice warn outdated">This page is no longer up to date: {reason}</p>}
    </div>
  );
}

/** Why something that the page shows could not be read again. */
function useReason(): string | undefined {
  const cache = useQueryClient().getQueryCache();
  const [reason, show] = useState<string>();
  useEffect(() => {
    const check = (): void => {
      const shown = cache.getAll().filter((query) => query.isActive() && query.state.data !== undefined);
      const failure = shown.map(failureOfShown).find((one) => one !== undefined);
      show(failure === undefined ? undefined : messageOf(failure));
    };
    check();
    return cache.subscribe(check);
  }, [cache]);
  return reason;
}
