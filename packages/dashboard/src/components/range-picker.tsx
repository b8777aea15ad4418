import { useFilters } from './search';

interface Range {
  readonly name: string;
  readonly days: number;
  readonly interval: 'hour' | 'day' | 'week';
}

const RANGES = {
  '24h': { name: '24 hours', days: 1, interval: 'hour' },
  '7d': { name: '7 days', days: 7, interval: 'day' },
  '30d': { name: '30 days', days: 30, interval: 'day' },
  '90d': { name: '90 days', days: 90, interval: 'day' },
  '1y': { name: 'A year', days: 364, interval: 'week' },
} as const satisfies Readonly<Record<string, Range>>;

const USUAL = '30d';
const DAY_MS = 86_400_000;

/** @param text of a URL, which can be anything */
function chosenIn(text: string): keyof typeof RANGES {
  return Object.hasOwn(RANGES, text) ? (text as keyof typeof RANGES) : USUAL;
}

/** The range in the URL, as parameters of the API. */
export function useRange(): {
  readonly name: string;
  query(): { readonly from: string; readonly interval: Range['interval'] };
} {
  const [filter] = useFilters();
  const { name, days, interval }: Range = RANGES[chosenIn(filter('range'))];
  const query = () => {
    const step = interval === 'hour' ? 3_600_000 : DAY_MS;
    // The range ends with the current hour or day, and starts this many of them earlier.
    const end = Math.floor(Date.now() / step) * step + step;
    return { from: new Date(end - days * DAY_MS).toISOString(), interval };
  };
  return { name, query };
}

/** Chooses the range of charts, which is stored in the URL. */
export function RangePicker() {
  const [filter, write] = useFilters();
  const chosen = chosenIn(filter('range'));
  return (
    <div class="segments" role="group" aria-label="Range">
      {Object.entries(RANGES).map(([id, { name }]) => (
        <button
          key={id}
          type="button"
          class="small"
          aria-pressed={id === chosen}
          onClick={() => write('range', id === USUAL ? '' : id)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
