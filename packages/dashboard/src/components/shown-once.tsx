import { useLayoutEffect, useState } from 'preact/hooks';
import { useDialogWork } from '../unsaved';
import { Copyable } from './copy';
import { useLoss } from './dialog';

const QUESTION = 'You have not copied what is shown only now. Go on without it?';

interface ShownOnceProps {
  readonly text: string;
  readonly label: string;
  /** The button that closes the dialog. */
  readonly done?: string;
  readonly close: () => void;
}

/** A secret in a dialog, which asks before the secret is lost. */
export function ShownOnce({ text, label, done = 'Done', close }: ShownOnceProps) {
  const [isCopied, setCopied] = useState(false);
  const setLost = useLoss(QUESTION);
  useDialogWork(!isCopied);
  useLayoutEffect(() => setLost(!isCopied), [isCopied]);
  return (
    <>
      <div onCopy={() => setCopied(true)}>
        <Copyable text={text} label={label} onCopied={() => setCopied(true)} />
      </div>
      <div class="actions">
        <button type="button" onClick={close}>
          {done}
        </button>
      </div>
    </>
  );
}
