import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { hasStatus } from '../api';
import { useSession } from '../session';
import { useDialogWork, useLosses, type Losses } from '../unsaved';
import { EndedSession } from './ended-session';

const QUESTION = 'What you have typed is not saved. Close without it?';

const DialogLosses = createContext<Losses>(new Set());

/**
 * @param question asked before the dialog is closed or its page is left, instead of the one about what was typed
 * @returns for something that may be in a dialog: says whether closing the dialog would lose it
 */
export function useLoss(question?: string): (isLost: boolean) => void {
  const losses = useContext(DialogLosses);
  const { current: loss } = useRef({ question });
  useLayoutEffect(() => () => void losses.delete(loss), []);
  return (isLost) => void (isLost ? losses.add(loss) : losses.delete(loss));
}

interface DialogProps {
  readonly title: string;
  /** For a dialog that only asks. */
  readonly question?: string | undefined;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog. Escape closes it, and the focus returns to where it was. It asks first if something would be lost. A
 * dialog that is replaced by another was not closed by the user.
 */
export function Dialog({ title, question, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const questionId = useId();
  const [hasInput, setInput] = useState(false);
  useDialogWork(hasInput);
  const hasEnded = hasStatus(useSession().error, 401);
  const isGone = useRef(false);
  const { current: losses } = useRef<Losses>(new Set());
  useLosses(losses);
  const mayClose = (): boolean => {
    const [loss] = losses;
    return loss === undefined || confirm(loss.question ?? QUESTION);
  };
  const close = (): void => {
    if (mayClose()) onClose();
  };
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    // Not the first button: a key that is held down, or pressed twice, would answer before the question is read.
    if (question !== undefined) element.focus();
    return () => {
      isGone.current = true;
      element.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      aria-describedby={question === undefined ? undefined : questionId}
      onInput={() => setInput(true)}
      // The focus comes here when its element is removed, such as a form that gives way to the result.
      tabIndex={-1}
      // Removes the dialog at once: its event `close` comes later, and would undo what the user did meanwhile.
      onCancel={(event) => {
        // An input of a file has such an event, too.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      // A second Escape in a row, or the back button of a phone, closes it without asking the page.
      onClose={() => {
        if (isGone.current) return;
        if (mayClose()) onClose();
        else dialog.current!.showModal();
      }}
    >
      <div class="stack">
        <h2>{title}</h2>
        {/* The same of the page cannot be used while the dialog is open. */}
        {hasEnded && <EndedSession />}
        {question !== undefined && <p id={questionId}>{question}</p>}
        <DialogLosses.Provider value={losses}>{children}</DialogLosses.Provider>
      </div>
      {/* Last, so that the first field gets the focus. Phones have no Escape key. */}
      <button type="button" class="close" aria-label="Close" onClick={close}>
        ×
      </button>
    </dialog>
  );
}
