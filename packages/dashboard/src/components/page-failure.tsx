import { Link } from 'wouter-preact';
import { hasStatus } from '../api';
import { Page } from './page';
import { Empty, Failure, messageOf } from './states';

interface PageFailureProps {
  readonly error: unknown;
  /** Where the reader can look for the item, and the name of that page. */
  readonly list: readonly [path: string, name: string];
  readonly retry: () => void;
}

/** In place of an item that could not be read. */
export function PageFailure({ error, list: [path, name], retry }: PageFailureProps) {
  if (!hasStatus(error, 404)) {
    return (
      <Page title={name}>
        <Failure error={error} retry={retry} />
      </Page>
    );
  }
  return (
    <Page title={messageOf(error)}>
      <Empty title="There is nothing at this address">
        <p class="muted">It may have been deleted, or it belongs to another organization.</p>
        <p>
          <Link href={path}>{name}</Link>
        </p>
      </Empty>
    </Page>
  );
}
