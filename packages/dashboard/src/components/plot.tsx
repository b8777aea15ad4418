import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colorsIn, useColorChanges } from '../colors';
import { formatCount } from '../format';

const HEIGHT = 250;
const GAP = 70;
const LINE_COLORS = ['--muted', '--line'] as const;

export interface PlotLine {
  readonly name: string;
  /** Custom property of the colour. */
  readonly color: string;
  readonly values: readonly number[];
  readonly isShown: boolean;
}

/** The position of the pointer. */
export interface PlotCursor {
  /** Index of the nearest point. */
  readonly point: number;
  /** In pixels from the left of the plot, and its width. */
  readonly left: number;
  readonly width: number;
}

interface PlotProps {
  /** Times of the points, in seconds. */
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
  readonly inUtc: boolean;
  formatTime(seconds: number): string;
  onCursor(cursor: PlotCursor | undefined): void;
}

/** Lines over time on a canvas. It is hidden from screen readers, which get a table instead. */
export function Plot(props: PlotProps) {
  const { times, lines, inUtc } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>();
  const latest = useRef(props);
  latest.current = props;
  const colors = useColorChanges();
  const names = lines.map(({ name }) => name).join();
  useEffect(() => {
    const element = place.current!;
    const made = new UPlot(optionsOf(latest, element), dataOf(latest.current), element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [colors, names, inUtc]);
  useEffect(() => plot.current?.setData(dataOf(latest.current)), [times, lines]);
  const shown = lines.map(({ isShown }) => isShown).join();
  useEffect(() => {
    latest.current.lines.forEach(({ isShown }, place) => plot.current?.setSeries(place + 1, { show: isShown }));
  }, [shown]);
  return <div class="plot" ref={place} aria-hidden="true" />;
}

function dataOf({ times, lines }: PlotProps): UPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])];
}

function optionsOf(props: { readonly current: PlotProps }, element: HTMLElement): UPlot.Options {
  const { lines, inUtc } = props.current;
  const [text, grid] = colorsIn(element, LINE_COLORS);
  const strokes = colorsIn(
    element,
    lines.map(({ color }) => color),
  );
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: text!, font, grid: { stroke: grid!, width: 1 }, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    ...(inUtc && { tzDate: (seconds: number) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') }),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(4, most * 1.08)] } },
    axes: [
      {
        ...axis,
        space: GAP,
        size: 30,
        grid: { show: false },
        values: (_, splits) => splits.map((split) => props.current.formatTime(split)),
      },
      {
        ...axis,
        size: (_, values) => 14 + 7 * Math.max(2, ...(values ?? []).map(({ length }) => length)),
        incrs: WHOLE_STEPS,
        values: (_, splits) => splits.map((split) => formatCount(split)),
      },
    ],
    series: [
      {},
      ...lines.map(({ isShown }, place) => ({
        stroke: strokes[place]!,
        width: 2,
        show: isShown,
        points: { show: props.current.times.length < 2 },
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor: { idx, left }, bbox }) => {
          const gone = idx === null || idx === undefined || left === undefined || left < 0;
          const ratio = devicePixelRatio || 1;
          const cursor = { point: idx ?? 0, left: (left ?? 0) + bbox.left / ratio, width: element.clientWidth };
          props.current.onCursor(gone ? undefined : cursor);
        },
      ],
    },
  };
}

/** Only whole numbers, because there are no fractions of emails: 1, 2, 5, 10 and so on. */
const WHOLE_STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
