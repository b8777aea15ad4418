import type { ComponentChildren } from 'preact';
import { memo } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface Column<Item> {
  readonly name: string;
  readonly isNumber?: boolean;
  /** Takes the remaining width, in one line. */
  readonly isWide?: boolean;
  show(item: Item): ComponentChildren;
}

interface RowsProps<Item> {
  readonly items: readonly Item[];
  /** Position of the first row in the list. */
  readonly start: number;
  readonly columns: readonly Column<Item>[];
  idOf(item: Item): string;
}

/** How far outside the visible area rows are kept. */
const MARGIN = '1200px 0px';

/**
 * The rows of one page. Far outside the visible area, a gap of the same height replaces them, so that a long list stays
 * fast. Those of the first page stay: until there are further pages, they determine the widths of the columns.
 */
function PageOfRows<Item>({ items, start, columns, idOf }: RowsProps<Item>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [gap, setGap] = useState<number>();
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        // On a busy page, several entries arrive at once, the latest last.
        const { isIntersecting, boundingClientRect } = entries.at(-1)!;
        setGap(isIntersecting ? undefined : boundingClientRect.height);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(body.current!);
    return () => observer.disconnect();
  }, []);
  if (gap !== undefined && start > 0) {
    return (
      <tbody ref={body} aria-hidden="true">
        <tr class="gap">
          <td colSpan={columns.length} style={{ height: `${gap}px` }} />
        </tr>
      </tbody>
    );
  }
  return (
    <tbody ref={body}>
      {items.map((item, place) => (
        <tr key={idOf(item)} class="row" aria-rowindex={start + place + 2} data-row={start + place}>
          {columns.map(({ name, isNumber, isWide, show }) => (
            <td key={name} class={isNumber ? 'number' : isWide ? 'wide' : undefined} data-name={name}>
              {show(item)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

export const Rows = memo(
  PageOfRows,
  (before, after) => before.items === after.items && before.start === after.start && before.columns === after.columns,
) as typeof PageOfRows;
