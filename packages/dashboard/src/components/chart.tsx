import '../styles/charts.css';
import { useMemo, useState } from 'preact/hooks';
import { MEASURES } from '../figures';
import { formatCount } from '../format';
import type { Stats } from '../types';
import { Plot, type PlotCursor } from './plot';

const FORMATS: Readonly<Record<Stats['interval'], Intl.DateTimeFormatOptions>> = {
  hour: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  day: { month: 'short', day: 'numeric', timeZone: 'UTC' },
  week: { month: 'short', day: 'numeric', timeZone: 'UTC' },
  month: { month: 'short', year: 'numeric', timeZone: 'UTC' },
};

/** Shorter, because there is less room on the axis. */
const HOUR_OF_AXIS: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };

interface ChartProps {
  readonly label: string;
  readonly stats: Stats;
}

/** Figures over time: as lines, with the values at the pointer, or as a table. */
export function Chart({ label, stats }: ChartProps) {
  const [isTable, showTable] = useState(false);
  const [hidden, hide] = useState<ReadonlySet<string>>(new Set());
  const { interval, points } = stats;
  const format = useMemo(() => {
    const dates = new Intl.DateTimeFormat(undefined, FORMATS[interval]);
    return (at: number | string) => dates.format(new Date(at));
  }, [interval]);
  const toggle = (name: string): void => {
    hide((before) => new Set(before.has(name) ? [...before].filter((one) => one !== name) : [...before, name]));
  };
  return (
    <section class="card stack" aria-label={label}>
      <div class="chart-head">
        <div class="legend" role="group" aria-label="Lines">
          {!isTable &&
            MEASURES.map(({ name, color }) => (
              <button
                key={name}
                type="button"
                class="key"
                aria-pressed={!hidden.has(name)}
                onClick={() => toggle(name)}
              >
                <span class={`swatch ${color.slice(2)}`} /> {name}
              </button>
            ))}
        </div>
        <button type="button" class="small" onClick={() => showTable(!isTable)}>
          {isTable ? 'Show as a chart' : 'Show as a table'}
        </button>
      </div>
      {isTable ? (
        <PointTable label={label} points={points} format={format} />
      ) : (
        <Lines stats={stats} hidden={hidden} format={format} />
      )}
      <p class="hint">{interval === 'hour' ? 'Each point is an hour.' : `Each point is a ${interval} in UTC.`}</p>
    </section>
  );
}

interface LinesProps {
  readonly stats: Stats;
  readonly hidden: ReadonlySet<string>;
  readonly format: (at: number | string) => string;
}

function Lines({ stats: { interval, points }, hidden, format }: LinesProps) {
  const [cursor, setCursor] = useState<PlotCursor>();
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1_000), [points]);
  const lines = useMemo(
    () => MEASURES.map(({ name, color, of }) => ({ name, color, values: points.map(of), isShown: !hidden.has(name) })),
    [points, hidden],
  );
  const axis = useMemo(
    () => new Intl.DateTimeFormat(undefined, interval === 'hour' ? HOUR_OF_AXIS : FORMATS[interval]),
    [interval],
  );
  const hovered = cursor && points[cursor.point];
  return (
    <div class="plot-frame">
      <Plot
        times={times}
        lines={lines}
        inUtc={interval !== 'hour'}
        formatTime={(seconds) => axis.format(seconds * 1_000)}
        onCursor={setCursor}
      />
      {hovered && (
        <div
          class="tip"
          aria-hidden="true"
          style={
            cursor.left < cursor.width / 2
              ? { left: `${cursor.left + 12}px` }
              : { right: `${cursor.width - cursor.left + 12}px` }
          }
        >
          <strong>{format(hovered.at)}</strong>
          {MEASURES.filter(({ name }) => !hidden.has(name)).map(({ name, color, of }) => (
            <div key={name} class="tip-row">
              <span>
                <span class={`swatch ${color.slice(2)}`} /> {name}
              </span>
              <span class="number">{formatCount(of(hovered))}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

interface PointTableProps {
  readonly label: string;
  readonly points: Stats['points'];
  readonly format: (at: string) => string;
}

/** The latest point comes first, because a range often begins long before the first email. */
function PointTable({ label, points, format }: PointTableProps) {
  return (
    <div class="scroll tall" tabIndex={0} role="group" aria-label={`${label}: table`}>
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {MEASURES.map(({ name }) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.at}>
              <th scope="row">{format(point.at)}</th>
              {MEASURES.map(({ name, of }) => (
                <td key={name} class="number">
                  {formatCount(of(point))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
