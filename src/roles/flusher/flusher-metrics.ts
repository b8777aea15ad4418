import { Inject, Injectable } from '@nestjs/common';
import { Counter, Histogram, type Registry } from 'prom-client';
import { METRICS } from '../../platform/health/metrics.js';
import { registerScrapedGauge, cached } from '../../platform/health/scraped-gauge.js';
import type { FlushResult, ReportCounts } from '../../events/ingest/flush-batch.js';
import { RECIPIENT_FACTS } from '../../events/recipient-event.js';
import type { StreamBacklog } from '../../events/stream/event-consumer.js';

const EVENTS = 'mailbeacon_events_flushed_total';
const DEAD_LETTERS = 'mailbeacon_event_dead_letters_total';
const FAILURES = 'mailbeacon_flush_failures_total';
const DURATION = 'mailbeacon_flush_seconds';
const BATCH = 'mailbeacon_flush_entries';
const FULL = 'mailbeacon_webhooks_full_total';
const RECIPIENT_EVENTS = 'mailbeacon_recipient_events_total';

const RECIPIENT_OUTCOMES = ['stored', 'repeated', 'unknown-email', 'unknown-recipient', 'too-many'] as const;

const LETTER_REASONS = [
  'missing-field',
  'unknown-version',
  'unknown-type',
  'malformed',
  'unknown-email',
  'too-many-deliveries',
  'timed-out',
  'data-error',
] as const;

/** Metrics of the process's flusher. The newest flusher owns the names. */
@Injectable()
export class FlusherMetrics {
  private readonly events: Counter<'outcome'>;
  private readonly deadLetters: Counter<'reason'>;
  private readonly failures: Counter;
  private readonly full: Counter;
  private readonly recipientEvents: Counter<'outcome' | 'fact'>;
  private readonly duration: Histogram;
  private readonly batch: Histogram;

  constructor(@Inject(METRICS) private readonly registry: Registry) {
    for (const name of [EVENTS, DEAD_LETTERS, FAILURES, DURATION, BATCH, FULL, RECIPIENT_EVENTS])
      registry.removeSingleMetric(name);
    const registers = [registry];
    this.events = new Counter({
      name: EVENTS,
      help: 'Events written to Postgres; repeated ones were already stored, dropped ones are of deleted organizations',
      labelNames: ['outcome'],
      registers,
    });
    this.deadLetters = new Counter({
      name: DEAD_LETTERS,
      help: 'Events that could not be stored, by reason',
      labelNames: ['reason'],
      registers,
    });
    // Starts every series at zero: otherwise `increase()` misses the first event.
    this.recordStored(0, 0, 0);
    for (const reason of LETTER_REASONS) this.deadLetters.inc({ reason }, 0);
    this.failures = new Counter({
      name: FAILURES,
      help: 'Failed attempts to read, store or acknowledge entries',
      registers,
    });
    this.full = new Counter({
      name: FULL,
      help: 'Webhooks that a flush skipped for opens, clicks or repeated changes of mind, because too many deliveries are pending',
      registers,
    });
    this.recipientEvents = new Counter({
      name: RECIPIENT_EVENTS,
      help: 'Reports about recipients by fact; of an unknown email or recipient, and too many repeats about an email, are dropped',
      labelNames: ['outcome', 'fact'],
      registers,
    });
    for (const outcome of RECIPIENT_OUTCOMES)
      for (const fact of RECIPIENT_FACTS) this.recipientEvents.inc({ outcome, fact }, 0);
    this.duration = new Histogram({
      name: DURATION,
      help: 'Duration of a flush, from the read entries to their acknowledgement',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    });
    this.batch = new Histogram({
      name: BATCH,
      help: 'Entries in a flush, each with one or many events',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500],
      registers,
    });
  }

  recordFlush({ stored, repeated, dropped, reports, deadLetters, fullEndpoints }: FlushResult): void {
    this.recordStored(stored, repeated, dropped);
    for (const counts of reports) this.recordReports(counts);
    // Postgres has hundreds of codes for bad data; the row has the exact one.
    for (const { reason } of deadLetters)
      this.deadLetters.inc({ reason: reason.replace(/^data-error-.*/, 'data-error') });
    this.full.inc(fullEndpoints);
  }

  private recordStored(stored: number, repeated: number, dropped: number): void {
    this.events.inc({ outcome: 'stored' }, stored);
    this.events.inc({ outcome: 'repeated' }, repeated);
    this.events.inc({ outcome: 'dropped' }, dropped);
  }

  private recordReports({ stored, repeated, dropped }: ReportCounts): void {
    for (const { fact } of stored) this.recipientEvents.inc({ outcome: 'stored', fact });
    for (const { fact } of repeated) this.recipientEvents.inc({ outcome: 'repeated', fact });
    for (const { event, reason } of dropped) this.recipientEvents.inc({ outcome: reason, fact: event.fact });
  }

  recordFailure(): void {
    this.failures.inc();
  }

  /** Returns the function to call when the flush of these entries ends. */
  startFlush(entries: number): () => void {
    this.batch.observe(entries);
    return this.duration.startTimer();
  }

  /** The values to alert on: unstored entries in the stream, and their age. */
  observeStream(read: () => Promise<StreamBacklog>): void {
    const backlog = cached(read);
    registerScrapedGauge(
      this.registry,
      {
        name: 'mailbeacon_event_stream_entries',
        help: 'Entries in the stream that are not acknowledged yet, each with one or many events',
      },
      async () => [{ value: (await backlog()).entries }],
    );
    registerScrapedGauge(
      this.registry,
      {
        name: 'mailbeacon_event_stream_lag_seconds',
        help: 'Age of the oldest entry in the stream; 0 when there is none',
      },
      async () => [{ value: (await backlog()).oldestMs / 1000 }],
    );
  }
}
