import type { StaticResponse, Reply } from '../platform/http/fast-path/static-response.js';
import type { AppendListener } from '../events/stream/event-appender.js';
import { PIXEL_RESPONSE, REDIRECT_RESPONSE } from './responses.js';
import type { Hit, HitOutcome, TrackingMetrics } from './tracking-metrics.js';

/** A request for a pixel or a link, from its arrival to its answer. */
export class TrackingRequest implements AppendListener {
  /** Where a click leads: what a header can carry, ASCII without control characters. */
  location: string | undefined;
  private readonly startedAt = performance.now();

  /** @param id names the event as well as the request, so that a log line leads to the row */
  constructor(
    readonly kind: Hit,
    readonly id: string,
    private readonly reply: Reply,
    private readonly metrics: TrackingMetrics,
  ) {}

  stored(): void {
    this.finish('recorded');
    this.metrics.recordAnswer(this.kind, performance.now() - this.startedAt);
  }

  /** The appender has logged why; the reader goes on regardless. */
  lost(): void {
    this.finish('lost');
  }

  /** Answers with the pixel, or with the redirect once it is known where to. */
  finish(outcome: HitOutcome): void {
    if (this.location === undefined) return this.answer(outcome, PIXEL_RESPONSE);
    this.metrics.count(this.kind, outcome);
    this.reply.send(REDIRECT_RESPONSE, 'X-Request-Id', this.id, 'Location', this.location);
  }

  answer(outcome: HitOutcome, answer: StaticResponse): void {
    this.metrics.count(this.kind, outcome);
    this.reply.send(answer, 'X-Request-Id', this.id);
  }
}
