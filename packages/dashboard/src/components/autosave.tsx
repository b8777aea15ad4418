import { useEffect, useRef, useState } from 'preact/hooks';
import { canPass, hasStatus } from '../api';
import { readSessionAfter } from '../queries';
import { discardUnsaved, useUnsaved } from '../unsaved';

const WAIT_MS = 600;
/** Delay before the next attempt when the service did not judge the value: it was away, or the session had ended. */
const AGAIN_MS = 5_000;

/** The last save of each form, also of a page that was left. */
const saves = new Set<Promise<void>>();

/** Waits until nothing is being saved. */
export async function savesEnded(): Promise<void> {
  await Promise.all(saves);
}

export interface Autosave {
  readonly state: 'saved' | 'unsaved' | 'saving' | 'failed';
  readonly error: unknown;
  /** True once somebody else has changed what is saved: nothing is saved any more. */
  readonly isStopped: boolean;
  /** Saves pending changes now. Rejects if that fails. */
  flush(): Promise<void>;
  /** Gives up changes that are not saved. */
  discard(): void;
  /** Saves nothing any more. @param cause the refusal that shows that somebody else has changed what is saved */
  stop(cause: unknown): void;
  /** Continues with a value that was read again, and gives up changes that are not saved. */
  restart(value: string): void;
}

/**
 * Saves a value soon after each change, one request at a time, and at once when the page is left.
 * @param value a text, as JSON
 */
export function useAutosave(value: string, save: (value: string) => Promise<unknown>): Autosave {
  const [state, setState] = useState<Autosave['state']>('saved');
  const [error, setError] = useState<unknown>();
  const now = useRef({ value, saved: value, save, running: Promise.resolve(), conflict: undefined as unknown });
  now.current.value = value;
  now.current.save = save;
  const stop = (cause: unknown): void => {
    now.current.conflict = cause;
    setError(cause);
    setState('failed');
  };
  const flush = (): Promise<void> => {
    const { current } = now;
    const run = async (): Promise<void> => {
      const { value, saved, save } = current;
      if (current.conflict !== undefined) throw current.conflict;
      if (value !== saved) {
        setState('saving');
        await save(value);
        current.saved = value;
      }
      setError(undefined);
      setState(current.value === value ? 'saved' : 'unsaved');
    };
    const next = current.running.then(run);
    const ended = next.catch((cause: unknown) => {
      readSessionAfter(cause);
      if (hasStatus(cause, 409)) return stop(cause);
      setError(cause);
      setState('failed');
    });
    current.running = ended;
    saves.add(ended);
    void ended.then(() => saves.delete(ended));
    return next;
  };
  useEffect(() => {
    if (value !== now.current.saved && now.current.conflict === undefined) setState('unsaved');
    // Also if the change was taken back: a save of it may be running or have failed.
    const timer = setTimeout(() => void flush().catch(() => undefined), WAIT_MS);
    return () => clearTimeout(timer);
  }, [value]);
  useEffect(() => {
    if (!canPass(error)) return undefined;
    const timer = setTimeout(() => void flush().catch(() => undefined), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [error]);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (now.current.value !== now.current.saved) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => {
      removeEventListener('beforeunload', warn);
      void flush().catch(() => undefined);
    };
  }, []);
  // Other changes are saved when the page is left. The next attempt after a failure can fail, too.
  useUnsaved(error !== undefined);
  const discard = (): void => {
    now.current.saved = now.current.value;
    discardUnsaved();
  };
  const restart = (value: string): void => {
    Object.assign(now.current, { value, saved: value, conflict: undefined });
    setError(undefined);
    setState('saved');
  };
  return { state, error, isStopped: hasStatus(error, 409), flush, discard, stop, restart };
}

export function SaveState({ autosave: { state } }: { readonly autosave: Autosave }) {
  const texts = { saved: 'Saved', unsaved: 'Saving soon …', saving: 'Saving …', failed: 'Not saved' };
  return (
    <span role="status" class={state === 'failed' ? 'bad-text' : 'muted'}>
      {texts[state]}
    </span>
  );
}
