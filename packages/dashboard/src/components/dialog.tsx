import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog. Escape closes it, and the focus returns to where it was. A dialog that is replaced by another was not
 * closed by the user.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => {
      isGone.current = true;
      element.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
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
        {children}
      </div>
      {/* Last, so that the first field gets the focus. Phones have no Escape key. */}
      <button type="button" class="close" aria-label="Close" onClick={onClose}>
        ×
      </button>
    </dialog>
  );
}
