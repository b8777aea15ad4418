import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { announce } from '../announce';
import { useOnce } from '../once';
import { readAgain } from '../queries';
import { useCan } from '../session';
import { useIsShown } from '../shown';
import type { Scope } from '../session-calls';
import { Dialog, useLoss } from './dialog';
import { Failure } from './states';

interface ActionProps<Result> {
  readonly label: string;
  /** The item of the row, where each row has such a button. */
  readonly about?: string;
  /** Asks first, with this question. */
  readonly question?: string;
  readonly scope: Scope;
  readonly isDangerous?: boolean;
  readonly isPrimary?: boolean;
  readonly isSmall?: boolean;
  /** The page must say why. */
  readonly isDisabled?: boolean;
  run(): Promise<Result>;
  /** Called at once, with what would be lost otherwise. */
  showResult?(result: Result): void;
  /** Called once the page was read again. */
  onDone?(): void;
}

/** A button that changes something. All data of the page is reloaded afterwards. */
export function Action<Result>(props: ActionProps<Result>) {
  const { label, about, question, isDangerous, isPrimary, isSmall, isDisabled } = props;
  const can = useCan(props.scope);
  const name = about === undefined ? label : `${label} ${about}`;
  const [isAsking, setAsking] = useState(false);
  const once = useOnce();
  const isShown = useIsShown();
  const change = useMutation({
    mutationFn: () => props.run(),
    onSettled: once.end,
    onSuccess: async (result) => {
      setAsking(false);
      props.showResult?.(result);
      await readAgain();
      announce(`${name}: done`);
      if (isShown()) props.onDone?.();
    },
  });
  if (!can) return null;
  const style = [isDangerous && 'danger', isPrimary && 'primary', isSmall && 'small'].filter(Boolean).join(' ');
  const run = (): void => once.begin(() => change.mutate());
  const start = (): void => {
    if (change.isPending) return;
    if (question === undefined) run();
    else setAsking(true);
  };
  return (
    <>
      <button
        type="button"
        class={style}
        disabled={isDisabled}
        aria-disabled={change.isPending}
        aria-label={about === undefined ? undefined : name}
        onClick={start}
      >
        {change.isPending ? `${label} …` : label}
      </button>
      {change.isError && !isAsking && <Failure error={change.error} />}
      {isAsking && (
        <Dialog title={label} question={question} onClose={() => setAsking(false)}>
          {change.isError && <Failure error={change.error} />}
          <div class="actions">
            <button
              type="button"
              class={isDangerous ? 'danger' : 'primary'}
              aria-disabled={change.isPending}
              onClick={run}
            >
              {label}
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              Keep as it is
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

interface FormProps {
  readonly submit: string;
  readonly children: ComponentChildren;
  run(fields: FormData): Promise<unknown>;
  onDone?(): void;
}

/** A form with a labeled button, which shows why a request failed. */
export function Form({ submit, children, run, onDone }: FormProps) {
  const once = useOnce();
  const isShown = useIsShown();
  const setUnsubmitted = useLoss();
  const hasInput = useRef(false);
  const change = useMutation({
    mutationFn: (fields: FormData) => run(fields),
    onSettled: once.end,
    onError: () => setUnsubmitted(hasInput.current),
    onSuccess: async () => {
      await readAgain();
      // Otherwise the result is on the page.
      if (onDone) announce(`${submit}: done`);
      if (isShown()) onDone?.();
    },
  });
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    once.begin(() => {
      setUnsubmitted(false);
      change.mutate(fields);
    });
  };
  const onInput = (): void => {
    hasInput.current = true;
    // Until the request fails, what is typed after it was sent would hold up the user on the way to the result.
    if (!once.isRunning()) setUnsubmitted(true);
  };
  return (
    <form class="stack" onSubmit={onSubmit} onInput={onInput}>
      {children}
      {change.isError && <Failure error={change.error} />}
      <div class="actions">
        <button type="submit" class="primary" aria-disabled={change.isPending}>
          {change.isPending ? `${submit} …` : submit}
        </button>
      </div>
    </form>
  );
}

/** The text of a field; undefined when it is empty. */
export function textOf(fields: FormData, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
