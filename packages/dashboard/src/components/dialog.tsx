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
    <dialog ref={dialog} aria-label={title} onClose={() => !isGone.current && onClose()}>
      <div class="stack">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
