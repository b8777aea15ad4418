import type { ComponentChildren } from 'preact';

/** What may be wider than its place: arrow keys scroll it where it has the focus. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}
