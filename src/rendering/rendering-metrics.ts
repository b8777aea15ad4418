import { Counter, Gauge, type Registry } from 'prom-client';

const OUTCOMES = ['done', 'limit', 'refused', 'dropped', 'failed'] as const;
export type RenderingOutcome = (typeof OUTCOMES)[number];

/** Metrics of the rendering threads. */
export class RenderingMetrics {
  private readonly tasks: Counter<'outcome'>;

  constructor(private readonly registry: Registry) {
    this.tasks = new Counter({
      name: 'mailbeacon_rendering_tasks_total',
      help: 'Documents for the rendering threads by outcome; refused means too many waiting documents, dropped a disconnected client or too long a wait',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of OUTCOMES) this.tasks.inc({ outcome }, 0);
  }

  count(outcome: RenderingOutcome): void {
    this.tasks.inc({ outcome });
  }

  observeWaiting(read: () => number): void {
    new Gauge({
      name: 'mailbeacon_rendering_waiting',
      help: 'Documents waiting for a rendering thread',
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
