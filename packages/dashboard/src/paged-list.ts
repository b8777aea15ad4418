import { keepPreviousData, useInfiniteQuery, type InfiniteData, type Query } from '@tanstack/preact-query';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { isApart, withFresh, type ListPage } from './list-page';
import { useRefresh } from './live';
import { queries, readSessionAfter } from './queries';

const PAGE_SIZE = 50;

export interface PagedList<Item> {
  /** Key of the list and its filters. */
  readonly name: readonly unknown[];
  load(
    page: { readonly limit: number; readonly cursor?: string },
    options: { readonly signal?: AbortSignal },
  ): Promise<ListPage<Item>>;
  idOf(item: Item): string;
  /** Changes that concern it, such as `email.`. */
  readonly live?: string;
  /** Polling interval in milliseconds while no live changes arrive. */
  readonly refreshMs?: number;
}

/** A list whose pages load one after the other, and whose first page stays current. */
export function usePagedList<Item>(list: PagedList<Item>) {
  const { name, live, refreshMs } = list;
  const query = useInfiniteQuery({
    queryKey: name,
    queryFn: ({ pageParam: cursor, signal }) =>
      cursor === '' ? loadBeginning(list, signal) : loadFurther(list, cursor, signal),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // The results of a filter stay until the next one finds something, so that a link under the pointer does not
    // disappear.
    placeholderData: keepPreviousData,
    // Live changes reach only the list that is shown: one that is shown again may lack them.
    staleTime: 0,
  });
  const latest = useRef({ list, query });
  latest.current = { list, query };
  const key = JSON.stringify(name);
  const isBehind = useRef(false);
  const refresh = useCallback(async () => {
    isBehind.current = await refreshBeginning(latest.current);
  }, [key]);
  useRefresh(live, refresh, refreshMs);
  useEffect(() => {
    const catchUp = (): void => {
      if (!isBehind.current || readsOlder()) return;
      isBehind.current = false;
      void refresh();
    };
    addEventListener('scroll', catchUp);
    return () => removeEventListener('scroll', catchUp);
  }, [refresh]);
  return query;
}

interface Shown<Item> {
  readonly list: PagedList<Item>;
  readonly query: { refetch(options: { readonly cancelRefetch: boolean }): Promise<unknown> };
}

/** True if the beginning of the list is out of sight. */
function readsOlder(): boolean {
  return scrollY > innerHeight;
}

/**
 * Rereads the first page, and merges new and changed items into the loaded pages.
 * @returns true if the list stays as it is, because the new first page would take the place of the rows that are read
 */
async function refreshBeginning<Item>({ list, query }: Shown<Item>): Promise<boolean> {
  // A slow read must not be cancelled by the next one: none would ever end. Neither must a further page. But it may
  // have begun before what has changed.
  const read = () => query.refetch({ cancelRefetch: false });
  const isRead = (): boolean => queries.getQueryState(list.name)?.fetchStatus === 'fetching';
  const hasMore = (): boolean => (queries.getQueryData<InfiniteData<unknown>>(list.name)?.pages.length ?? 0) > 1;
  if (isRead()) await read();
  if (!isShown(list)) return false;
  if (!hasMore()) {
    await read();
    // A further page takes the place of this read.
    if (!hasMore()) return false;
  }
  const fresh = await loadBeginning(list).catch((error: unknown) => showFailure(list, error));
  if (fresh === undefined) return false;
  // A further page that began before would undo what is merged.
  while (isRead() && isShown(list)) await read();
  let isBehind = false;
  queries.setQueryData<InfiniteData<ListPage<Item>>>(list.name, (before) => {
    if (before === undefined) return before;
    isBehind = readsOlder() && isApart(before.pages, fresh, list.idOf);
    return isBehind ? before : { ...before, pages: withFresh(before.pages, fresh, list.idOf) };
  });
  return isBehind;
}

/** False once the page has left the list: nothing would cancel its reads. */
function isShown({ name }: Pick<PagedList<unknown>, 'name'>): boolean {
  return queries.getQueryCache().find({ queryKey: name })?.isActive() ?? false;
}

/**
 * Lists whose beginning could not be read. A further page, which the error of the query may be about, changes nothing.
 */
const failures = new WeakMap<object, unknown>();
/** Errors of further pages, each read by itself. The query keeps such an error while its beginning is read. */
const ofFurtherPages = new WeakSet<Error>();

/** Why what is shown could not be read again: pages that are not shown yet do not matter. */
export function failureOfShown(query: Query): unknown {
  const { status, error } = query.state;
  return status === 'error' && !ofFurtherPages.has(error!) ? error : failures.get(query);
}

async function loadBeginning<Item>(list: PagedList<Item>, signal?: AbortSignal): Promise<ListPage<Item>> {
  const query = queries.getQueryCache().find({ queryKey: list.name });
  try {
    const page = await list.load({ limit: PAGE_SIZE }, { ...(signal && { signal }) });
    if (query) failures.delete(query);
    return page;
  } catch (error) {
    if (query && !signal?.aborted) failures.set(query, error);
    throw error;
  }
}

async function loadFurther<Item>(list: PagedList<Item>, cursor: string, signal: AbortSignal): Promise<ListPage<Item>> {
  // Otherwise all pages are read, of which those that are shown may be out of date.
  const isAlone = queries.getQueryState(list.name)?.fetchMeta?.fetchMore !== undefined;
  try {
    return await list.load({ limit: PAGE_SIZE, cursor }, { signal });
  } catch (error) {
    if (isAlone && error instanceof Error) ofFurtherPages.add(error);
    throw error;
  }
}

/** Has the page show the failure of a read of which the query knows nothing. */
function showFailure<Item>({ name }: PagedList<Item>, error: unknown): undefined {
  readSessionAfter(error);
  queries.getQueryCache().find({ queryKey: name })?.setState({});
}
