import type { ComponentChildren } from 'preact';
import icon from '../icon.svg';
import { useTitle } from '../title';

/** A page for people who are not signed in. */
export function Entrance({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  useTitle(title);
  return (
    <main class="centered">
      <div class="card stack">
        <span class="brand">
          <img src={icon} alt="" /> Mailbeacon
        </span>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
