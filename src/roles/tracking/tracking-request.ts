import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import type { StaticResponse, Reply } from '../../platform/http/fast-path/static-response.js';
import type { AppendListener } from '../../events/stream/event-appender.js';
import { PIXEL_RESPONSE, REDIRECT_RESPONSE } from './responses.js';
import type { Hit, HitOutcome, TrackingMetrics } from './tracking-metrics.js';

/** A request for a pixel or a link, from arrival to response. */
export class TrackingRequest implements AppendListener {
  /** Destination of a click as a header value: ASCII without control characters. */
  location: string | undefined;
  /** ID of both the request and its event, so that log lines can be matched to rows. */
  readonly id: string;
  private readonly startedAt = performance.now();
  /** Absent once it is used: the event may wait much longer than the reader, and must not hold the connection. */
  private reply: Reply | undefined;

  /** @param at when it arrived, in milliseconds since 1970 */
  constructor(
    readonly kind: Hit,
    readonly at: number,
    reply: Reply,
    private readonly metrics: TrackingMetrics,
  ) {
    this.id = uuidV7(at);
    this.reply = reply;
  }

  stored(): void {
    this.metrics.count(this.kind, 'recorded');
    this.delayed();
  }

  /** The reader gets the response before the event is stored or lost. */
  delayed(): void {
    if (!this.reply) return;
    this.complete(this.reply);
    this.metrics.recordResponse(this.kind, performance.now() - this.startedAt);
  }

  /** The appender has logged the reason. The reader still gets the normal response. */
  lost(): void {
    this.finish('lost');
  }

  finish(outcome: HitOutcome): void {
    this.metrics.count(this.kind, outcome);
    if (this.reply) this.complete(this.reply);
  }

  /** Sends the redirect if the request has a location, and the pixel otherwise. */
  private complete(reply: Reply): void {
    this.reply = undefined;
    if (this.location === undefined) return reply.send(PIXEL_RESPONSE, 'X-Request-Id', this.id);
    reply.send(REDIRECT_RESPONSE, 'X-Request-Id', this.id, 'Location', this.location);
  }

  respond(outcome: HitOutcome, response: StaticResponse): void {
    this.metrics.count(this.kind, outcome);
    this.reply?.send(response, 'X-Request-Id', this.id);
  }
}
