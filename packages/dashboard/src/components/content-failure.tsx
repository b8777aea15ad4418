import { hasStatus } from '../api';
import { Failure } from './states';

interface ContentFailureProps {
  readonly error: unknown;
  readonly retry: () => void;
}

/**
 * Why the content of an email cannot be read. The email of the page exists: if its content is not found, it was deleted
 * after its retention, or with its recipient.
 */
export function ContentFailure({ error, retry }: ContentFailureProps) {
  if (hasStatus(error, 404)) return <p class="muted">The content is no longer stored.</p>;
  return <Failure error={error} retry={retry} />;
}
