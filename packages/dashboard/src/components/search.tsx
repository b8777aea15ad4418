import { useEffect, useRef } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { useShortcut } from '../shortcuts';
import { shownName } from '../shown-name';
import { Empty } from './states';

const WAIT_MS = 250;

/** Filters that live in the URL, so that a view can be shared and the back button works. */
export function useFilters(): [(name: string) => string, (name: string, value: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const read = (name: string): string => parameters.get(name) ?? '';
  const write = (name: string, value: string): void => {
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === '') after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  };
  return [read, write];
}

interface SearchProps {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  /** A search needs at least this many characters. */
  readonly minLength?: number;
  /** `/` moves the focus to it, unless it is not the main search of the page. */
  readonly isSecond?: boolean;
}

/** A search field whose text lives in the URL. */
export function Search({ name, label, placeholder, minLength = 1, isSecond = false }: SearchProps) {
  const [read, write] = useFilters();
  const value = read(name);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const hasShortcut = useShortcut(
    (event) => {
      if (isSecond || event.key !== '/') return;
      event.preventDefault();
      input.current?.focus();
    },
    [isSecond],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  const onInput = ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }): void => {
    clearTimeout(timer.current);
    const text = value.trim();
    timer.current = setTimeout(() => write(name, text.length < minLength ? '' : text), WAIT_MS);
  };
  useEffect(() => {
    // The back button and “Clear” also change the URL.
    if (input.current !== document.activeElement) input.current!.value = value;
  }, [value]);
  return (
    <label class={isSecond ? undefined : 'wide'}>
      {label}
      <input
        ref={input}
        type="search"
        defaultValue={value}
        placeholder={placeholder}
        minLength={minLength}
        onInput={onInput}
        aria-keyshortcuts={hasShortcut && !isSecond ? '/' : undefined}
      />
    </label>
  );
}

/**
 * A button that removes all filters, also those that the service refuses and no field shows. Before it stand filters
 * without a field here, such as those of a link to this page.
 */
export function ActiveFilters({ names, hidden = {} }: ActiveFiltersProps) {
  const [parameters] = useSearchParams();
  if (!names.some((name) => parameters.has(name))) return null;
  const shown = Object.entries(hidden).filter(([name]) => parameters.has(name));
  return (
    <p class="actions">
      {shown.map(([name, label]) => (
        <span key={name} class="badge info filter">
          {label} <bdi>{shownName(parameters.get(name)!)}</bdi>
        </span>
      ))}
      <ClearFilters names={names} />
    </p>
  );
}

function ClearFilters({ names }: { readonly names: readonly string[] }) {
  const [, setParameters] = useSearchParams();
  const clear = (): void => {
    setParameters((before) => new URLSearchParams([...before].filter(([name]) => !names.includes(name))));
  };
  return (
    <button type="button" class="small" onClick={clear}>
      Clear filters
    </button>
  );
}

/** Takes the place of a list in which nothing matches its filters. */
export function NothingMatches({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  return (
    <Empty title={title}>
      <ClearFilters names={names} />
    </Empty>
  );
}

interface ActiveFiltersProps {
  /** All filters of the page. */
  readonly names: readonly string[];
  /** Labels of filters without a field, by name. */
  readonly hidden?: Readonly<Record<string, string>>;
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  /** What the list has without the filter. */
  readonly none?: string;
}

/** A filter with few values. */
export function Choice({ name, label, values, none = 'All' }: ChoiceProps) {
  const [read, write] = useFilters();
  return (
    <label>
      {label}
      <select value={read(name)} onChange={({ currentTarget }) => write(name, currentTarget.value)}>
        <option value="">{none}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A day of the reader. */
export function DateFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [read, write] = useFilters();
  return (
    <label>
      {label}
      <input type="date" value={read(name)} onChange={({ currentTarget }) => write(name, currentTarget.value)} />
    </label>
  );
}
