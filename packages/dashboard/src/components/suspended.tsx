import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { queries } from '../queries';

interface SuspendedProps {
  readonly reason: string;
  /** True where the page is hidden. */
  readonly isAlone: boolean;
}

/** Says why nothing of the organization can be read, changed or sent, in place of a failure of each part of a page. */
export function Suspended({ reason, isAlone }: SuspendedProps) {
  // What could not be read meanwhile is read again.
  useEffect(() => () => void queries.invalidateQueries(), []);
  return (
    <div class="page outdated">
      {isAlone && <h1>Suspended</h1>}
      <div class="notice bad" role="alert">
        <p>This organization is suspended: {reason}</p>
        <p>
          Until the operator of this service ends the suspension, no mail is sent, and nothing can be shown or changed
          here except your own <Link href="/settings">settings</Link>.
        </p>
      </div>
    </div>
  );
}
