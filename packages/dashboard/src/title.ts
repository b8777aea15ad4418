import { useEffect } from 'preact/hooks';
import { withoutDirections } from './directions';

/** Shows the title of the page in its tab and in the history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${withoutDirections(title)} · Mailbeacon`;
  }, [title]);
}
