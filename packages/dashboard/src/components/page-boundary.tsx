import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { PageLoadError } from '../load-page';

/** Shows why a page cannot be shown. */
export function PageBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary((cause) => console.error(cause)) as [unknown, () => void];
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
