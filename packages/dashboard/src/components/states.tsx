import type { ComponentChildren } from 'preact';
import { MailbeaconError } from '../../../client/src/index';
import { hasStatus } from '../api';

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

interface FailureProps {
  readonly error: unknown;
  /** The labels of fields, by their names in the API. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly retry?: () => void;
}

/** Why something failed, and what to do next. */
export function Failure({ error, labels, retry }: FailureProps) {
  const message = messageOf(error, labels);
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

/** The API names a field at the beginning; people know it by its label. */
function messageOf(error: unknown, labels: Readonly<Record<string, string>> = {}): string {
  // The messages of browsers name the request, and nothing that a person could do.
  if (hasStatus(error, 0)) return 'The service cannot be reached. Check your connection, then try again.';
  const message = error instanceof Error ? error.message : String(error);
  const [first = ''] = message.split(' ', 1);
  return Object.hasOwn(labels, first) ? labels[first] + message.slice(first.length) : message;
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
