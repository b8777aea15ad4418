import { useInfiniteQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Failure, Loading } from './states';

const PAGE_SIZE = 50;

export interface Column<Item> {
  readonly name: string;
  readonly isNumber?: boolean;
  show(item: Item): ComponentChildren;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

interface ListProps<Item> {
  /** Names the list and its filters. */
  readonly name: readonly unknown[];
  load(
    page: { readonly limit: number; readonly cursor?: string },
    options: { readonly signal: AbortSignal },
  ): Promise<Page<Item>>;
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  idOf(item: Item): string;
  /** Where Enter leads to. */
  linkTo?(item: Item): string;
  /** Shown instead of an empty table. */
  readonly empty: ComponentChildren;
  /** Asks again after this time, in milliseconds. */
  readonly refreshMs?: number;
}

/** A table of a paged list. `j` and `k` select a row, Enter opens it; further pages load at the end. */
export function List<Item>(props: ListProps<Item>) {
  const { name, label, columns, empty, refreshMs } = props;
  const query = useInfiniteQuery({
    queryKey: name,
    queryFn: ({ pageParam: cursor, signal }) => {
      return props.load({ limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) }, { signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    ...(refreshMs !== undefined && { refetchInterval: refreshMs }),
  });
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const selected = useRowKeys(rows.length, (row) => props.linkTo?.(rows[row]!));
  if (query.isPending) return <Loading />;
  if (query.isError && rows.length === 0) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (rows.length === 0) return <div class="card">{empty}</div>;
  return (
    <div class="card flush">
      <div class="scroll">
        <table aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ name, isNumber }) => (
                <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((item, row) => (
              <tr key={props.idOf(item)} class="row" data-selected={row === selected}>
                {columns.map(({ name, isNumber, show }) => (
                  <td key={name} class={isNumber ? 'number' : undefined}>
                    {show(item)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {query.hasNextPage && <More load={() => void query.fetchNextPage()} isLoading={query.isFetchingNextPage} />}
    </div>
  );
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
    if (selected >= 0) document.querySelectorAll('tr.row')[selected]?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return selected;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
