import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';

/** Where an event was stored; `lost` when both the stream and the spool failed. */
export type AppendOutcome = 'stream' | 'spool' | 'lost';

const APPENDED = 'mailbeacon_events_appended_total';
const DURATION = 'mailbeacon_event_append_seconds';
const SPOOL_BYTES = 'mailbeacon_event_spool_bytes';
const SPOOL_LIMIT = 'mailbeacon_event_spool_limit_bytes';
const SPOOL_REFUSES = 'mailbeacon_event_spool_refuses';
const UNREADABLE = 'mailbeacon_event_spool_unreadable_segments';
const REPLAYED = 'mailbeacon_spool_entries_replayed_total';

/** Read on each scrape. */
export interface SpoolReadings {
  readonly bytes: () => number;
  readonly limitBytes: () => number;
  readonly refuses: () => Promise<number>;
  readonly unreadableSegments: () => number;
}

/** Metrics of the process's appender. The newest appender owns the names. */
@Injectable()
export class AppendMetrics {
  private readonly appended: Counter<'outcome'>;
  private readonly duration: Histogram;
  private readonly replayed: Counter;

  constructor(@Inject(METRICS) private readonly registry: Registry) {
    for (const name of [APPENDED, DURATION, SPOOL_BYTES, SPOOL_LIMIT, SPOOL_REFUSES, UNREADABLE, REPLAYED])
      registry.removeSingleMetric(name);
    const registers = [registry];
    this.appended = new Counter({
      name: APPENDED,
      help: 'Events by where they were stored; lost means neither in the stream nor in the spool',
      labelNames: ['outcome'],
      registers,
    });
    // Starts every series at zero: otherwise `increase()` misses the first event.
    for (const outcome of ['stream', 'spool', 'lost'] as const) this.appended.inc({ outcome }, 0);
    this.duration = new Histogram({
      name: DURATION,
      help: 'Time until a batch of events was stored',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1],
      registers,
    });
    this.replayed = new Counter({ name: REPLAYED, help: 'Spooled entries appended to the stream', registers });
  }

  recordBatch(outcome: AppendOutcome, events: number, milliseconds: number): void {
    this.appended.inc({ outcome }, events);
    this.duration.observe(milliseconds / 1000);
  }

  recordReplay(entries: number): void {
    this.replayed.inc(entries);
  }

  observeSpool(spool: SpoolReadings): void {
    this.gauge(SPOOL_BYTES, 'Bytes of spooled events on disk', spool.bytes);
    this.gauge(SPOOL_LIMIT, 'Bytes that the spool may hold', spool.limitBytes);
    this.gauge(
      SPOOL_REFUSES,
      '1 while the spool accepts no events: it is full, its disk fails, or its folder is not writable',
      spool.refuses,
    );
    this.gauge(UNREADABLE, 'Spool segments that are damaged or belong to another account', spool.unreadableSegments);
  }

  private gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await read());
      },
    });
  }
}
