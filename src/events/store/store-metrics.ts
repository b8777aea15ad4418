import { Counter, type Registry } from 'prom-client';
import { cached, registerScrapedGauge } from '../../platform/health/scraped-gauge.js';
import type { StreamBacklog } from '../stream/event-consumer.js';

const WRITTEN = 'mailbeacon_event_store_rows_total';
const FAILURES = 'mailbeacon_event_store_failures_total';

/** Metrics of the event store, only where there is one. */
export class StoreMetrics {
  private readonly written: Counter<'source'>;
  private readonly failures: Counter;

  constructor(private readonly registry: Registry) {
    for (const name of [WRITTEN, FAILURES]) registry.removeSingleMetric(name);
    this.written = new Counter({
      name: WRITTEN,
      help: 'Rows written to the event store: from the stream, copied from Postgres, or changed later',
      labelNames: ['source'],
      registers: [registry],
    });
    for (const source of ['stream', 'postgres', 'change']) this.written.inc({ source }, 0);
    this.failures = new Counter({
      name: FAILURES,
      help: 'Failed attempts to write to the event store',
      registers: [registry],
    });
  }

  recordWritten(source: 'stream' | 'postgres' | 'change', rows: number): void {
    this.written.inc({ source }, rows);
  }

  recordFailure(): void {
    this.failures.inc();
  }

  observe(readBacklog: () => Promise<StreamBacklog>, readGaps: () => Promise<number>): void {
    const backlog = cached(readBacklog);
    registerScrapedGauge(
      this.registry,
      {
        name: 'mailbeacon_event_store_lag_seconds',
        help: 'Age of the oldest entry in the stream that the event store does not have; 0 when there is none',
      },
      async () => [{ value: (await backlog()).oldestMs / 1000 }],
    );
    registerScrapedGauge(
      this.registry,
      {
        name: 'mailbeacon_event_store_missing_hours',
        help: 'Hours whose events are still to be copied from Postgres to the event store',
      },
      async () => [{ value: await readGaps() }],
    );
  }
}
