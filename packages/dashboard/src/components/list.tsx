import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../announce';
import { formatCount } from '../format';
import { usePagedList, type PagedList } from '../paged-list';
import { useShortcut } from '../shortcuts';
import { useColumns } from './list-columns';
import { Rows, type Column } from './list-rows';
import { Scroll } from './scroll';
import { Failure, Loading } from './states';

export type { Column } from './list-rows';

interface ListProps<Item> extends PagedList<Item> {
  readonly label: string;
  /** What the user can choose. How many items a new choice finds is announced. */
  readonly filter?: string | Readonly<Record<string, string>>;
  readonly columns: readonly Column<Item>[];
  /** Shown instead of an empty table. */
  readonly empty: ComponentChildren;
}

/** A table of a paged list. `j` and `k` move between rows, Enter opens one; further pages load at the end. */
export function List<Item>(props: ListProps<Item>) {
  const { label, columns, empty } = props;
  const query = usePagedList(props);
  const pages = query.data?.pages ?? [];
  const count = pages.reduce((sum, { items }) => sum + items.length, 0);
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table, count);
  const isOfLastFilter = query.isPlaceholderData;
  // If few items match the filter, a page can be empty although older pages are not.
  const isSearching = count === 0 && query.hasNextPage;
  useFound(
    label,
    JSON.stringify(props.filter),
    query.isPending || query.isError || isOfLastFilter || isSearching
      ? undefined
      : `${formatCount(count)}${query.hasNextPage ? ' or more' : ''}`,
  );
  const shownFilter = useShownFilter(props.name, isOfLastFilter);
  const rows = { hasRows: count > 0, isLong: pages.length > 1, filter: shownFilter };
  const { areBlocks, widths } = useColumns(table, rows);
  if (query.isPending || (isOfLastFilter && count === 0)) return <Loading />;
  if (query.isError && count === 0) return <Failure error={query.error} retry={() => void query.refetch()} />;
  // The query keeps the error of the attempt before, which can have been about the first page, while it tries again.
  const hasFailed = query.isFetchNextPageError && !query.isFetchingNextPage;
  const more = query.hasNextPage && !isOfLastFilter && (
    <More load={() => void query.fetchNextPage()} isLoading={query.isFetchingNextPage} hasFailed={hasFailed} />
  );
  if (count === 0) return <div class="card">{more || empty}</div>;
  let start = 0;
  return (
    <div class="card flush">
      <Scroll label={label}>
        <table
          ref={table}
          aria-label={label}
          aria-busy={isOfLastFilter}
          aria-rowcount={query.hasNextPage ? -1 : count + 1}
          class={areBlocks ? 'list blocks' : widths ? 'list fixed' : 'list'}
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
            const rows = { items, start, columns, idOf: props.idOf };
            start += items.length;
            return <Rows<Item> key={page} {...rows} />;
          })}
        </table>
      </Scroll>
      {hasFailed && <Failure error={query.error} />}
      {more}
    </div>
  );
}

/** The filter of the rows that are shown, which stay until the next filter has found something. */
function useShownFilter(name: readonly unknown[], isOfLastFilter: boolean): string {
  const shown = useRef('');
  if (!isOfLastFilter) shown.current = JSON.stringify(name);
  return shown.current;
}

/** Announces how many items a new filter has found. @param found undefined while they are read */
function useFound(label: string, filter: string | undefined, found: string | undefined): void {
  const announced = useRef(filter);
  useEffect(() => {
    if (found === undefined || announced.current === filter) return;
    announced.current = filter;
    announce(`${label}: ${found} found`);
  }, [filter, found]);
}

interface MoreProps {
  readonly isLoading: boolean;
  readonly hasFailed: boolean;
  load(): void;
}

/** Loads more as soon as it becomes visible, and on a click for keyboard users. After a failure, only on a click. */
function More({ load, isLoading, hasFailed }: MoreProps) {
  const place = useRef<HTMLDivElement>(null);
  // Outlasts the failure, which is forgotten when the first page is read again.
  const [waits, wait] = useState(false);
  useEffect(() => {
    if (hasFailed) wait(true);
  }, [hasFailed]);
  useEffect(() => {
    if (hasFailed || waits) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.at(-1)!.isIntersecting && !isLoading) load();
    });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [load, isLoading, hasFailed, waits]);
  const again = (): void => {
    wait(false);
    load();
  };
  return (
    <div class="more" ref={place}>
      <button type="button" onClick={again} disabled={isLoading}>
        {isLoading ? 'Loading …' : 'Load more'}
      </button>
    </div>
  );
}

/** `j` and `k` move the focus to the link of the next and the previous row, so that Enter opens it. */
function useRowKeys(table: { readonly current: HTMLTableElement | null }, count: number): void {
  const latest = useRef(-1);
  useShortcut(
    ({ key }) => {
      const step = { j: 1, k: -1 }[key];
      if (step === undefined || !table.current) return;
      const focused = document.activeElement?.closest<HTMLElement>('tr.row');
      if (focused && !table.current.contains(focused)) return;
      const from = focused ? Number(focused.dataset['row']) : latest.current;
      const row = Math.min(Math.max(from + step, 0), count - 1);
      const next = table.current.querySelector<HTMLElement>(`tr[data-row="${row}"]`);
      next?.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true });
      next?.scrollIntoView({ block: 'nearest' });
      latest.current = row;
    },
    [table, count],
  );
}
