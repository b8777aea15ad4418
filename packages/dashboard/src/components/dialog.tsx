import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { hasStatus } from '../api';
import { useSession } from '../session';
import { useTyped } from '../unsaved';
import { EndedSession } from './ended-session';

interface DialogProps {
  readonly title: string;
  /** For a dialog that only asks. */
  readonly question?: string | undefined;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog. Escape closes it, and the focus returns to where it was. A dialog that is replaced by another was not
 * closed by the user.
 */
export function Dialog({ title, question, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const questionId = useId();
  const [isTyped, setTyped] = useState(false);
  useTyped(isTyped);
  const hasEnded = hasStatus(useSession().error, 401);
  const isGone = useRef(false);
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
      onInput={() => setTyped(true)}
      // The focus comes here when its element is removed, such as a form that gives way to the result.
      tabIndex={-1}
      // Removes the dialog at once: its event `close` comes later, and would undo what the user did meanwhile.
      onCancel={(event) => {
        // An input of a file has such an event, too.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onClose={() => !isGone.current && onClose()}
    >
      <div class="stack">
        <h2>{title}</h2>
        {/* The same of the page cannot be used while the dialog is open. */}
        {hasEnded && <EndedSession />}
        {question !== undefined && <p id={questionId}>{question}</p>}
        {children}
      </div>
      {/* Last, so that the first field gets the focus. Phones have no Escape key. */}
      <button type="button" class="close" aria-label="Close" onClick={onClose}>
        ×
      </button>
    </dialog>
  );
}
