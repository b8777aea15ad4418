import { memo } from 'preact/compat';
import { useRef } from 'preact/hooks';
import type { Place } from '../place';

interface EditorProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly rows?: number;
  /** Where the service found an error. */
  readonly place?: Place | undefined;
  readonly isReadOnly?: boolean;
  change?(value: string): void;
}

/** A field for code, with line numbers. */
export function Editor({ label, hint, value, rows = 18, place, isReadOnly = false, change }: EditorProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLDivElement>(null);
  const count = value.split('\n').length;
  const goTo = ({ line, column }: Place): void => {
    const before = value.split('\n').slice(0, line - 1);
    const start = before.reduce((length, one) => length + one.length + 1, 0) + column - 1;
    const field = text.current!;
    field.focus();
    field.setSelectionRange(start, Math.min(start + 1, value.length));
    field.scrollTop = (line - 3) * parseFloat(getComputedStyle(field).lineHeight);
  };
  return (
    <div class="stack tight">
      <label>
        <span>
          {label} {hint !== undefined && <span class="hint">{hint}</span>}
        </span>
        <span class="editor" data-wrong={place !== undefined}>
          <span class="numbers" aria-hidden="true" ref={numbers}>
            <LineNumbers count={count} wrong={place?.line} />
          </span>
          <textarea
            ref={text}
            rows={rows}
            wrap="off"
            spellcheck={false}
            autocapitalize="off"
            readOnly={isReadOnly}
            value={value}
            aria-invalid={place !== undefined}
            onInput={({ currentTarget }) => change?.(currentTarget.value)}
            onScroll={({ currentTarget }) => {
              numbers.current!.scrollTop = currentTarget.scrollTop;
            }}
          />
        </span>
      </label>
      {place !== undefined && (
        <p class="actions">
          <button type="button" class="small" onClick={() => goTo(place)}>
            Go to line {place.line}, column {place.column}
          </button>
          <span class="bad-text" role="alert">
            {place.reason}
          </span>
        </p>
      )}
    </div>
  );
}

interface LineNumbersProps {
  readonly count: number;
  /** The line with an error. */
  readonly wrong: number | undefined;
}

/** One text: with an element for each line, each key would take the longer the more lines there are. */
const LineNumbers = memo(({ count, wrong = 0 }: LineNumbersProps) => {
  const numbers = Array.from({ length: count }, (_, line) => `${line + 1}\n`);
  if (wrong < 1 || wrong > count) return <>{numbers.join('')}</>;
  return (
    <>
      {numbers.slice(0, wrong - 1).join('')}
      <span class="wrong">{numbers[wrong - 1]}</span>
      {numbers.slice(wrong).join('')}
    </>
  );
});
