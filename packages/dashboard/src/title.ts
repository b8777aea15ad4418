import { useEffect } from 'preact/hooks';

/** Characters that would change the direction of all that follows, which a title has no other means to end. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Shows the title of the page in its tab and in the history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title.replace(DIRECTIONS, '')} · Mailbeacon`;
  }, [title]);
}
