import { Counter, type Registry } from 'prom-client';
import { VERDICTS, type VerdictCode } from '../../events/verdict.js';
import { FastHistogram } from '../../platform/health/fast-histogram/fast-histogram.js';

export type Hit = 'open' | 'click';

/** All outcomes of a tracking request: recorded alone, recorded in a sum, or the reason why not. */
export const HIT_OUTCOMES = [
  'recorded',
  'summed',
  'head',
  'invalid',
  'blocked',
  'wrong-domain',
  'over-limit',
  'method',
  'lost',
] as const;
export type HitOutcome = (typeof HIT_OUTCOMES)[number];

const REQUESTS = 'mailbeacon_tracking_requests_total';
const CLASSES = 'mailbeacon_tracking_classes_total';

/** Counts in plain numbers, which keeps the hot path cheap, and exports them when Prometheus scrapes. */
export class TrackingMetrics {
  private readonly counts = { open: zeroes(), click: zeroes() };
  /** By code. */
  private readonly verdicts = { open: VERDICTS.map(() => 0), click: VERDICTS.map(() => 0) };
  private readonly duration: FastHistogram<Hit>;

  constructor(registry: Registry) {
    this.duration = new FastHistogram({
      name: 'mailbeacon_tracking_seconds',
      help: 'Time from an open or a click to its response, which waits until the event is stored',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1],
      label: 'kind',
      values: ['open', 'click'],
      registry,
    });
    const { counts, verdicts } = this;
    registry.removeSingleMetric(REQUESTS);
    new Counter({
      name: REQUESTS,
      help: 'Requests to tracking URLs by outcome',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
      collect() {
        this.reset();
        for (const kind of ['open', 'click'] as const) {
          for (const outcome of HIT_OUTCOMES) this.inc({ kind, outcome }, counts[kind][outcome]);
        }
      },
    });
    registry.removeSingleMetric(CLASSES);
    new Counter({
      name: CLASSES,
      help: 'Recorded opens and clicks by the class of the request alone; rules of time and order apply later',
      labelNames: ['kind', 'class'],
      registers: [registry],
      collect() {
        this.reset();
        for (const kind of ['open', 'click'] as const) {
          for (const [code, { class: name }] of VERDICTS.entries())
            this.inc({ kind, class: name }, verdicts[kind][code]);
        }
      },
    });
  }

  count(kind: Hit, outcome: HitOutcome): void {
    this.counts[kind][outcome]++;
  }

  countVerdict(kind: Hit, verdict: VerdictCode): void {
    this.verdicts[kind][verdict]!++;
  }

  recordResponse(kind: Hit, milliseconds: number): void {
    this.duration.count(kind, milliseconds / 1000);
  }

  of(kind: Hit, outcome: HitOutcome): number {
    return this.counts[kind][outcome];
  }
}

function zeroes(): Record<HitOutcome, number> {
  return {
    ...{ recorded: 0, summed: 0, head: 0, invalid: 0, blocked: 0 },
    ...{ 'wrong-domain': 0, 'over-limit': 0, method: 0, lost: 0 },
  };
}
