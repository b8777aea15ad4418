import { Gauge, type Registry } from 'prom-client';

/** Longest wait of a scrape for one reading: a hung Redis or Postgres must not hang the scrape. */
const DEADLINE_MS = 1_000;
/** Several scrapers, or one in a hurry, must not multiply the questions. */
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
 * A gauge whose value is asked for when somebody scrapes: one question at a time, cached for a moment. What does
 * not answer in time, or fails, has no value: NaN, or no series at all where there are labels.
 */
export function registerScrapedGauge<Label extends string = never>(
  registry: Registry,
  { name, help, labelNames = [] }: GaugeDescription<Label>,
  read: () => Promise<readonly Sample<Label>[]>,
): void {
  registry.removeSingleMetric(name);
  const ask = cached(read);
  new Gauge<Label>({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const samples = await within(DEADLINE_MS, ask()).catch(() => undefined);
      this.reset();
      if (samples === undefined && labelNames.length === 0) this.set(NaN);
      for (const { labels, value } of samples ?? []) this.set(labels ?? ({} as Record<Label, string>), value);
    },
  });
}

/**
 * Asks one question at a time and remembers the answer for a moment. What hangs goes on when nobody waits any more, so
 * that it is asked once and not at every scrape.
 */
export function cached<Answer>(ask: () => Promise<Answer>, forMs = CACHE_MS): () => Promise<Answer> {
  let answered: { readonly at: number; readonly value: Answer } | undefined;
  let pending: Promise<Answer> | undefined;
  const askOnce = async (): Promise<Answer> => {
    try {
      const value = await ask();
      answered = { at: performance.now(), value };
      return value;
    } finally {
      pending = undefined;
    }
  };
  return async () => {
    if (answered && performance.now() - answered.at < forMs) return answered.value;
    return (pending ??= askOnce());
  };
}

async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
