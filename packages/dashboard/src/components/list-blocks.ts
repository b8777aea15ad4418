import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** In pixels: a phone, on which even few columns are hard to read. */
const NARROW = 400;

/**
 * True while the columns of a table have no room in its frame, where they could only be read by scrolling sideways.
 * Then each row is a block of its cells.
 * @param hasRows false while the table is not there
 * @param filter what the rows have been chosen by
 */
export function useBlocks(
  table: { readonly current: HTMLTableElement | null },
  hasRows: boolean,
  filter: string,
): boolean {
  const [areBlocks, setBlocks] = useState(false);
  /** The width that the columns of this filter need, as measured when they did not fit. */
  const needed = useRef({ filter, width: NARROW });
  const measure = (): void => {
    const frame = table.current?.parentElement;
    if (!frame) return;
    if (needed.current.filter !== filter) needed.current = { filter, width: NARROW };
    if (!areBlocks && frame.scrollWidth > frame.clientWidth) needed.current.width = Math.max(NARROW, frame.scrollWidth);
    setBlocks(frame.clientWidth < needed.current.width);
  };
  // New rows can need more room.
  useLayoutEffect(measure);
  const latest = useRef(measure);
  latest.current = measure;
  useEffect(() => {
    if (!table.current) return undefined;
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(table.current.parentElement!);
    return () => observer.disconnect();
  }, [hasRows]);
  return areBlocks;
}
