import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { PageLoadError } from '../load-page';

/** Shows why a page cannot be shown, until another one is opened. */
export function PageBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary((cause) => console.error(cause)) as [unknown, () => void];
  const [path] = useLocation();
  useEffect(reset, [path]);
  if (error === undefined) return <>{children}</>;
  return (
    <div class="notice bad" role="alert">
      {error instanceof PageLoadError ? (
        <p>
          This page could not be loaded. A new version of the dashboard is available, or the connection is interrupted.
        </p>
      ) : (
        <p>This page failed: {error instanceof Error ? error.message : String(error)}</p>
      )}
      <p>
        <button type="button" class="small" onClick={() => location.reload()}>
          Reload
        </button>
      </p>
    </div>
  );
}
