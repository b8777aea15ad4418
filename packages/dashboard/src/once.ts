import { useRef } from 'preact/hooks';

/**
 * Begins a change only if none runs. A page that is busy handles both clicks of a double click before it shows that the
 * first has begun.
 */
export function useOnce() {
  const isRunning = useRef(false);
  const begin = (work: () => void): void => {
    if (isRunning.current) return;
    isRunning.current = true;
    work();
  };
  const end = (): void => void (isRunning.current = false);
  return { begin, end, isRunning: () => isRunning.current };
}
