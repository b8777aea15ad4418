import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

/** Tells whether the component is still there: the user can leave a page or close a dialog while a change runs. */
export function useIsShown(): () => boolean {
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  return () => isShown.current;
}

/** Goes to the result of a change, unless the user has left the page or closed the dialog meanwhile. */
export function useGo(): (to: string) => void {
  const [, go] = useLocation();
  const isShown = useIsShown();
  return (to) => {
    if (isShown()) go(to);
  };
}
