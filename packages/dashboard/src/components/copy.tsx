import { useState } from 'preact/hooks';

const SHOWN_MS = 1_500;

/** A text that one click copies. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    });
  };
  return (
    <div class="copy">
      <pre>{text}</pre>
      <button type="button" class="small" onClick={copy} aria-label={`Copy ${label}`}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
