import { useEffect } from 'preact/hooks';

/** Shows the title of the page in its tab and in the history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mailbeacon`;
  }, [title]);
}
