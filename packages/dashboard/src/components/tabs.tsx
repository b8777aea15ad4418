import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly chosen: Name;
  choose(name: Name): void;
  /** The content of the chosen tab. */
  readonly children: ComponentChildren;
}

/** Tabs, of which one is shown. The Tab key reaches the chosen one; the arrow keys, Home and End choose another. */
export function Tabs<Name extends string>({ label, names, chosen, choose, children }: TabsProps<Name>) {
  const id = useId();
  const tabId = (name: Name): string => `${id}-${names.indexOf(name)}`;
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = names.indexOf(chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = names[(to + names.length) % names.length]!;
    choose(next);
    document.getElementById(tabId(next))?.focus();
  };
  return (
    <div class="tabbed">
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={tabId(name)}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="card" id={`${id}-panel`} role="tabpanel" aria-labelledby={tabId(chosen)}>
        {children}
      </div>
    </div>
  );
}
