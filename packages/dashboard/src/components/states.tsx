import type { ComponentChildren } from 'preact';
import { MailbeaconError } from '../../../client/src/index';

/** Placeholder for content that is still loading. */
export function Loading({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <div class="skeleton" key={row} />
      ))}
    </div>
  );
}

/** Why something failed, and what to do next. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  const requestId = error instanceof MailbeaconError ? error.requestId : '';
  return (
    <div class="notice bad" role="alert">
      <p>{message}</p>
      {requestId !== '' && <p class="mono">Request {requestId}</p>}
      {retry !== undefined && (
        <p>
          <button type="button" class="small" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
