import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { DeadLetter } from '../events/dead-letters.js';

const EVENTS = 'mailbeacon_events_flushed_total';
const DEAD_LETTERS = 'mailbeacon_event_dead_letters_total';
const FAILURES = 'mailbeacon_flush_failures_total';
const DURATION = 'mailbeacon_flush_seconds';
const BACKLOG = 'mailbeacon_event_stream_entries';

/** What the flusher of a process tells Prometheus. The newest flusher of a process owns the names. */
export class FlusherMetrics {
  private readonly events: Counter<'outcome'>;
  private readonly deadLetters: Counter<'reason'>;
  private readonly failures: Counter;
  private readonly duration: Histogram;

  constructor(private readonly registry: Registry) {
    for (const name of [EVENTS, DEAD_LETTERS, FAILURES, DURATION, BACKLOG]) registry.removeSingleMetric(name);
    const registers = [registry];
    this.events = new Counter({
      name: EVENTS,
      help: 'Events brought to Postgres; repeated ones were there already',
      labelNames: ['outcome'],
      registers,
    });
    this.deadLetters = new Counter({
      name: DEAD_LETTERS,
      help: 'Events that could not be stored, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.failures = new Counter({ name: FAILURES, help: 'Failed tries to read, store or acknowledge', registers });
    this.duration = new Histogram({
      name: DURATION,
      help: 'Duration of a flush, from the read entries to their acknowledgement',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    });
  }

  recordStored(stored: number, repeated: number): void {
    this.events.inc({ outcome: 'stored' }, stored);
    this.events.inc({ outcome: 'repeated' }, repeated);
  }

  recordDeadLetters(letters: readonly DeadLetter[]): void {
    for (const { reason } of letters) this.deadLetters.inc({ reason });
  }

  recordFailure(): void {
    this.failures.inc();
  }

  /** Returns what to call when the flush is over. */
  startFlush(): () => void {
    return this.duration.startTimer();
  }

  /** What to raise an alarm on: entries in the stream that are not stored yet, asked for at every scrape. */
  observeStream(backlog: () => Promise<number>): void {
    new Gauge({
      name: BACKLOG,
      help: 'Entries in the stream that are not acknowledged yet, each with one or many events',
      registers: [this.registry],
      async collect() {
        // While Redis is away there is no number to tell.
        this.set(await backlog().catch(() => NaN));
      },
    });
  }
}
