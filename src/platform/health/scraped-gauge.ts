import { Gauge, type Registry } from 'prom-client';
import { withDeadline } from '../clock/with-deadline.js';

/** Deadline of one reading: a hung Redis or Postgres must not hang the scrape. */
const DEADLINE_MS = 1_000;
/** Several scrapers, or a short scrape interval, must not multiply the queries. */
const CACHE_MS = 2_000;

export interface GaugeDescription<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly Label[];
}

export interface Sample<Label extends string> {
  readonly labels?: Readonly<Record<Label, string>>;
  readonly value: number;
}

/**
 * A gauge that reads its value on each scrape: one query at a time, cached briefly. A failed or late reading yields
 * NaN, or no series at all if the gauge has labels.
 */
export function registerScrapedGauge<Label extends string = never>(
  registry: Registry,
  { name, help, labelNames = [] }: GaugeDescription<Label>,
  read: () => Promise<readonly Sample<Label>[]>,
): void {
  registry.removeSingleMetric(name);
  const readCached = cached(read);
  new Gauge<Label>({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const samples = await withDeadline(DEADLINE_MS, readCached()).catch(() => undefined);
      this.reset();
      if (samples === undefined && labelNames.length === 0) this.set(NaN);
      for (const { labels, value } of samples ?? []) this.set(labels ?? ({} as Record<Label, string>), value);
    },
  });
}

/**
 * Runs one query at a time and caches the result briefly. A hung query stays pending after its callers time out, so
 * later scrapes join it instead of starting another.
 */
export function cached<Result>(query: () => Promise<Result>, forMs = CACHE_MS): () => Promise<Result> {
  let latest: { readonly at: number; readonly value: Result } | undefined;
  let pending: Promise<Result> | undefined;
  const queryOnce = async (): Promise<Result> => {
    try {
      const value = await query();
      latest = { at: performance.now(), value };
      return value;
    } finally {
      pending = undefined;
    }
  };
  return async () => {
    if (latest && performance.now() - latest.at < forMs) return latest.value;
    return (pending ??= queryOnce());
  };
}
