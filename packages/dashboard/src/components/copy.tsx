import { useRef, useState } from 'preact/hooks';

const SHOWN_MS = 1_500;

interface CopyableProps {
  readonly text: string;
  readonly label: string;
  onCopied?(): void;
}

/** A text that can be copied with one click. */
export function Copyable({ text, label, onCopied }: CopyableProps) {
  const [copied, setCopied] = useState(false);
  const shown = useRef<HTMLPreElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Browsers have no clipboard for pages without TLS, so the text is selected for the user to copy.
      getSelection()?.selectAllChildren(shown.current!);
      return;
    }
    setCopied(true);
    onCopied?.();
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <div class="copy">
      <pre ref={shown}>{text}</pre>
      <button type="button" class="small" onClick={() => void copy()} aria-label={`Copy ${label}`}>
        {copied ? 'Copied' : 'Copy'}
      </button>
      <span class="visually-hidden" role="status">
        {copied && 'Copied'}
      </span>
    </div>
  );
}
