import type { ComponentChildren } from 'preact';
import { shownName } from '../shown-name';
import { useTitle } from '../title';

interface PageProps {
  readonly title: string;
  readonly hint?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** One page: its heading, its actions and its content. */
export function Page({ title, hint, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div class="page">
      <header>
        <div class="titles">
          <h1 dir="auto">{shownName(title)}</h1>
          {hint !== undefined && <div class="muted">{hint}</div>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Card({ title, children }: { readonly title?: string; readonly children: ComponentChildren }) {
  return (
    <section class="card stack">
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}

export interface FigureProps {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly beside?: ComponentChildren;
}

/** Numbers with their names. */
export function Figures({ figures }: { readonly figures: readonly FigureProps[] }) {
  return (
    <dl class="card figures">
      {figures.map(({ label, value, beside }) => (
        <div class="figure" key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
          {beside !== undefined && <dd class="beside">{beside}</dd>}
        </div>
      ))}
    </dl>
  );
}
