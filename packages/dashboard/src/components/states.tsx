import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { MailbeaconError } from '../../../client/src/index';
import { hasStatus } from '../api';
import { plainWords } from '../plain-words';
import { SessionEnding } from '../session';

/** How long a page may load without a word: a request is repeated after failures, and while there are too many. */
const SLOW_MS = 5_000;

interface LoadingProps {
  readonly rows?: number;
  /** True where more follows below, which stays out of view until the height of the content is known. */
  readonly fillsView?: boolean;
}

/** Placeholder for content that is still loading. */
export function Loading({ rows = 4, fillsView = false }: LoadingProps) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label="Loading" class={fillsView ? 'fills-view' : undefined}>
      {isSlow && <p class="muted">This takes longer than usual. It continues by itself.</p>}
      {Array.from({ length: rows }, (_, row) => (
        <div class="skeleton" key={row} />
      ))}
    </div>
  );
}

interface FailureProps {
  readonly error: unknown;
  readonly retry?: () => void;
}

/** Why something failed, and what to do next. Shows nothing for the end of the session, which the page says once. */
export function Failure({ error, retry }: FailureProps) {
  const isSessionEnding = useContext(SessionEnding);
  if (isSessionEnding && hasStatus(error, 401)) return null;
  const message = messageOf(error);
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

/** A failure in words for people. */
export function messageOf(error: unknown): string {
  // The messages of browsers name the request, and nothing that a person could do.
  if (hasStatus(error, 0)) return 'The service cannot be reached. Check your connection, then try again.';
  return plainWords(error instanceof Error ? error.message : String(error));
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
