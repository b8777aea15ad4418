import type { ComponentChildren } from 'preact';

/** Content that may be wider than its container: arrow keys scroll it when it has the focus. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}
