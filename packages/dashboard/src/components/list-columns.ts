import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** In pixels: a phone, on which even few columns are hard to read. */
const NARROW = 400;

interface Table {
  readonly current: HTMLTableElement | null;
}

interface Rows {
  /** False while the table is not there. */
  readonly hasRows: boolean;
  /** True once there are further pages. */
  readonly isLong: boolean;
  /** What the rows have been chosen by. */
  readonly filter: string;
}

interface Columns {
  /**
   * True while the columns have no room in the frame of the table, where they could only be read by scrolling sideways.
   * Then each row is a block of its cells.
   */
  readonly areBlocks: boolean;
  /** In pixels; undefined while the browser chooses them. */
  readonly widths: readonly number[] | undefined;
}

/** How the columns of a list are laid out. */
export function useColumns(table: Table, { hasRows, isLong, filter }: Rows): Columns {
  const [areBlocks, setBlocks] = useState(false);
  const [widths, forgetWidths] = useWidths(table, isLong && !areBlocks);
  /** The width that the columns of this filter need, as measured when they did not fit. */
  const needed = useRef({ filter, width: NARROW });
  const measure = (): void => {
    const frame = table.current?.parentElement;
    if (!frame) return;
    if (needed.current.filter !== filter) needed.current = { filter, width: NARROW };
    const overflows = frame.scrollWidth > frame.clientWidth;
    // A longer value of a further row only needs another share of the room.
    if (overflows && widths !== undefined) return forgetWidths();
    if (overflows && !areBlocks) needed.current.width = Math.max(NARROW, frame.scrollWidth);
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
  return { areBlocks, widths };
}

/** Keeps the widths of the columns, so that new rows do not move them; measured again when the window is resized. */
function useWidths(table: Table, keeps: boolean): [widths: readonly number[] | undefined, forget: () => void] {
  const [widths, setWidths] = useState<readonly number[]>();
  const forget = (): void => setWidths(undefined);
  useEffect(() => {
    if (!keeps) return forget();
    if (widths !== undefined || !table.current) return undefined;
    setWidths([...table.current.querySelectorAll('thead th')].map((cell) => cell.getBoundingClientRect().width));
    return undefined;
  }, [keeps, widths]);
  useEffect(() => {
    addEventListener('resize', forget);
    return () => removeEventListener('resize', forget);
  }, []);
  return [widths, forget];
}
