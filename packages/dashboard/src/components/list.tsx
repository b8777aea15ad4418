import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { usePagedList, type PagedList } from '../paged-list';
import { Rows, type Column } from './list-rows';
import { Failure, Loading } from './states';

export type { Column } from './list-rows';

interface ListProps<Item> extends PagedList<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  /** Where Enter leads to. */
  linkTo?(item: Item): string;
  /** Shown instead of an empty table. */
  readonly empty: ComponentChildren;
}

/** A table of a paged list. `j` and `k` select a row, Enter opens it; further pages load at the end. */
export function List<Item>(props: ListProps<Item>) {
  const { label, columns, empty } = props;
  const query = usePagedList(props);
  const pages = query.data?.pages ?? [];
  const count = pages.reduce((sum, { items }) => sum + items.length, 0);
  const selected = useRowKeys(count, (row) => {
    const item = itemAt(pages, row);
    return item && props.linkTo?.(item);
  });
  const table = useRef<HTMLTableElement>(null);
  const widths = useWidths(table, pages.length > 1);
  if (query.isPending) return <Loading />;
  if (query.isError && count === 0) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (count === 0) return <div class="card">{empty}</div>;
  let start = 0;
  return (
    <div class="card flush">
      <div class="scroll">
        <table
          ref={table}
          aria-label={label}
          aria-rowcount={query.hasNextPage ? -1 : count + 1}
          class={widths ? 'list fixed' : 'list'}
        >
          {widths && (
            <colgroup>
              {widths.map((width, place) => (
                <col key={place} style={{ width: `${width}px` }} />
              ))}
            </colgroup>
          )}
          <thead>
            <tr aria-rowindex={1}>
              {columns.map(({ name, isNumber, isWide }) => (
                <th key={name} scope="col" class={isNumber ? 'number' : isWide ? 'wide' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          {pages.map(({ items }, page) => {
            const rows = { items, start, columns, selected, idOf: props.idOf };
            start += items.length;
            return <Rows<Item> key={page} {...rows} />;
          })}
        </table>
      </div>
      {query.hasNextPage && <More load={() => void query.fetchNextPage()} isLoading={query.isFetchingNextPage} />}
    </div>
  );
}

function itemAt<Item>(pages: readonly { readonly items: readonly Item[] }[], row: number): Item | undefined {
  let before = 0;
  for (const { items } of pages) {
    if (row < before + items.length) return items[row - before];
    before += items.length;
  }
  return undefined;
}

/** Keeps the columns as wide as they are, so that rows that come and go do not move them; anew when the window changes. */
function useWidths(table: { readonly current: HTMLTableElement | null }, isLong: boolean): number[] | undefined {
  const [widths, setWidths] = useState<number[]>();
  useEffect(() => {
    if (!isLong) return setWidths(undefined);
    if (widths !== undefined || !table.current) return undefined;
    setWidths([...table.current.querySelectorAll('thead th')].map((cell) => cell.getBoundingClientRect().width));
    return undefined;
  }, [isLong, widths]);
  useEffect(() => {
    const forget = (): void => setWidths(undefined);
    addEventListener('resize', forget);
    return () => removeEventListener('resize', forget);
  }, []);
  return widths;
}
/** Loads more as soon as it is seen, and on a click for those who get there by keyboard. */
function More({ load, isLoading }: { readonly load: () => void; readonly isLoading: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting && !isLoading) load();
    });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [load, isLoading]);
  return (
    <div class="more" ref={place}>
      <button type="button" onClick={load} disabled={isLoading}>
        {isLoading ? 'Loading …' : 'Load more'}
      </button>
    </div>
  );
}

function useRowKeys(count: number, linkOf: (row: number) => string | undefined): number {
  const [selected, select] = useState(-1);
  const [, go] = useLocation();
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
      if (event.key === 'j') select((row) => Math.min(row + 1, count - 1));
      else if (event.key === 'k') select((row) => Math.max(row - 1, 0));
      else if (event.key === 'Enter' && selected >= 0 && target === document.body) {
        const link = linkOf(selected);
        if (link !== undefined) go(link);
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
  useEffect(() => {
    if (selected >= 0) document.querySelector(`tr[data-row="${selected}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return selected;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
