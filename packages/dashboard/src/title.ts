import { useEffect } from 'preact/hooks';
import { shownName } from './shown-name';

/** Shows the title of the page in its tab and in the history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${shownName(title)} · Mailbeacon`;
  }, [title]);
}
