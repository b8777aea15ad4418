import { Counter, type Registry } from 'prom-client';

export type Hit = 'open' | 'click';

/** What became of a request to a tracking address: recorded, or why not. A closed set. */
export const HIT_OUTCOMES = ['recorded', 'head', 'invalid', 'over-limit', 'method', 'lost'] as const;
export type HitOutcome = (typeof HIT_OUTCOMES)[number];

const REQUESTS = 'mailbeacon_tracking_requests_total';

/** Counts in plain numbers, which cost the hot path nothing, and tells Prometheus when it asks. */
export class TrackingMetrics {
  private readonly counts = { open: zeroes(), click: zeroes() };

  constructor(registry: Registry) {
    const { counts } = this;
    registry.removeSingleMetric(REQUESTS);
    new Counter({
      name: REQUESTS,
      help: 'Requests to tracking addresses by what became of them',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
      collect() {
        this.reset();
        for (const kind of ['open', 'click'] as const) {
          for (const outcome of HIT_OUTCOMES) this.inc({ kind, outcome }, counts[kind][outcome]);
        }
      },
    });
  }

  count(kind: Hit, outcome: HitOutcome): void {
    this.counts[kind][outcome]++;
  }

  of(kind: Hit, outcome: HitOutcome): number {
    return this.counts[kind][outcome];
  }
}

function zeroes(): Record<HitOutcome, number> {
  return { recorded: 0, head: 0, invalid: 0, 'over-limit': 0, method: 0, lost: 0 };
}
