import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from './states';

/** The session usually arrives sooner: until then, a text would only flicker. */
const MOMENT_MS = 1_000;
/** From then on, the reader may doubt that a response will come. */
const LONG_MS = 10_000;

interface OpeningProps {
  /** Why the latest attempt failed; null while one runs. */
  readonly error: Error | null;
  retry(): void;
}

/** Shown until the session is known. */
export function Opening({ error, retry }: OpeningProps) {
  const failure = useRef<Error>();
  // It stays while the session is read again, unless the reason changes: the button keeps the focus, and a screen
  // reader says it once.
  if (error !== null && error.message !== failure.current?.message) failure.current = error;
  const [attempt, count] = useState(1);
  const wait = useWait(attempt);
  const again = (): void => {
    count(attempt + 1);
    retry();
  };
  return (
    <main class="centered" aria-busy={error === null}>
      {failure.current !== undefined ? (
        <Failure error={failure.current} retry={again} />
      ) : (
        <div class="stack">
          <p class="muted" role="status">
            {wait === 'moment' && 'Loading …'}
            {wait === 'long' && 'The service has not responded yet. You can keep waiting, or try again.'}
          </p>
          {wait === 'long' && (
            <button type="button" onClick={again}>
              Try again
            </button>
          )}
        </div>
      )}
    </main>
  );
}

/** How long the reader has waited in this attempt. */
function useWait(attempt: number): 'none' | 'moment' | 'long' {
  const [wait, setWait] = useState<'none' | 'moment' | 'long'>('none');
  useEffect(() => {
    setWait(attempt === 1 ? 'none' : 'moment');
    const moment = setTimeout(() => setWait('moment'), MOMENT_MS);
    const long = setTimeout(() => setWait('long'), LONG_MS);
    return () => {
      clearTimeout(moment);
      clearTimeout(long);
    };
  }, [attempt]);
  return wait;
}
