import { useEffect, useRef } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';

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
}

/** A search field. `/` moves the focus to it. */
export function Search({ name, label, placeholder }: SearchProps) {
  const [read, write] = useFilters();
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.target !== document.body) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', listen);
    return () => {
      removeEventListener('keydown', listen);
      clearTimeout(timer.current);
    };
  }, []);
  const onInput = ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => write(name, value.trim()), WAIT_MS);
  };
  return (
    <label class="wide">
      {label}
      <input
        ref={input}
        type="search"
        defaultValue={read(name)}
        placeholder={placeholder}
        onInput={onInput}
        aria-keyshortcuts="/"
      />
    </label>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
}

/** A filter with few values. */
export function Choice({ name, label, values }: ChoiceProps) {
  const [read, write] = useFilters();
  return (
    <label>
      {label}
      <select value={read(name)} onChange={({ currentTarget }) => write(name, currentTarget.value)}>
        <option value="">All</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A day, in UTC as the API has days. */
export function DateFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [read, write] = useFilters();
  return (
    <label>
      {label}
      <input type="date" value={read(name)} onChange={({ currentTarget }) => write(name, currentTarget.value)} />
    </label>
  );
}
