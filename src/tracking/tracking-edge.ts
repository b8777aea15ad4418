import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock/clock.js';
import { uuidV7 } from '../clock/uuid-v7.js';
import { isEmailTrackingId } from '../links/email-tracking-id.js';
import { readLink } from '../links/link-token.js';
import { locationOf } from '../links/location.js';
import type { SigningKeys } from '../links/signing-keys.js';
import type { EngagementEvent } from '../stream/engagement-event.js';
import { answerBadLink, answerMethodNotAllowed, answerPixel, answerRedirect } from './answers.js';
import { HitLimiter } from './hit-limiter.js';
import type { Hit, TrackingMetrics } from './tracking-metrics.js';

const OPEN_PATH = '/api/t/o/';
const CLICK_PATH = '/api/t/c/';

/** More hits on one pixel or link within a minute are answered as ever but count no more. */
export const HITS_PER_MINUTE = 5_000;

/** The signing keys as of now: a rotation reaches the edge without a restart. */
export type CurrentSigningKeys = () => SigningKeys;

/** Where events go; resolves when one is stored durably. */
export interface EventSink {
  append(event: EngagementEvent): Promise<void>;
}

/**
 * Answers the two tracking addresses, ahead of any web framework. It needs neither Postgres nor, for a while,
 * Redis: tokens prove themselves, and an answer waits only until the event is stored somewhere durable.
 * A reader is never shown an error because of bookkeeping. Query strings are ignored: mail clients and link
 * checkers add their own.
 */
export class TrackingEdge {
  private readonly limiter = new HitLimiter(HITS_PER_MINUTE);

  constructor(
    private readonly keys: CurrentSigningKeys,
    private readonly events: EventSink,
    private readonly clock: Clock,
    private readonly metrics: TrackingMetrics,
  ) {}

  /** Returns false, and leaves the request alone, when it is for another address. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url ?? '';
    if (url.startsWith(OPEN_PATH)) this.handleOpen(request.method, identifierIn(url), response);
    else if (url.startsWith(CLICK_PATH)) this.handleClick(request.method, identifierIn(url), response);
    else return false;
    return true;
  }

  private handleOpen(method: string | undefined, emailTrackingId: string, response: ServerResponse): void {
    const id = this.newId();
    const answer = () => answerPixel(response, id);
    if (!this.isReading('open', method, id, response)) return;
    if (!isEmailTrackingId(this.keys(), emailTrackingId)) {
      this.metrics.count('open', 'invalid');
      return answer();
    }
    if (!this.counts('open', method, emailTrackingId)) return answer();
    this.record('open', { type: 'opened', id, emailTrackingId }, answer);
  }

  private handleClick(method: string | undefined, token: string, response: ServerResponse): void {
    const id = this.newId();
    if (!this.isReading('click', method, id, response)) return;
    const link = readLink(this.keys(), token);
    if (!link) {
      this.metrics.count('click', 'invalid');
      return answerBadLink(response, id);
    }
    const { emailTrackingId, position, url } = link;
    const location = locationOf(url);
    const answer = () => answerRedirect(response, id, location);
    if (!this.counts('click', method, `${emailTrackingId}/${position}`)) return answer();
    this.record('click', { type: 'clicked', id, emailTrackingId, linkPosition: position, url }, answer);
  }

  private isReading(hit: Hit, method: string | undefined, id: string, response: ServerResponse): boolean {
    if (method === 'GET' || method === 'HEAD') return true;
    this.metrics.count(hit, 'method');
    answerMethodNotAllowed(response, id);
    return false;
  }

  private counts(hit: Hit, method: string | undefined, key: string): boolean {
    if (method === 'HEAD') this.metrics.count(hit, 'head');
    else if (this.limiter.allows(key, this.clock.now())) return true;
    else this.metrics.count(hit, 'over-limit');
    return false;
  }

  private record(hit: Hit, event: EngagementEvent, answer: () => void): void {
    const startedAt = performance.now();
    this.events.append(event).then(
      () => {
        this.metrics.count(hit, 'recorded');
        answer();
        this.metrics.recordAnswer(hit, performance.now() - startedAt);
      },
      // The appender has logged why; the reader goes on regardless.
      () => {
        this.metrics.count(hit, 'lost');
        answer();
      },
    );
  }

  /** Names the event as well as the request, so that a log line leads to the row. */
  private newId(): string {
    return uuidV7(this.clock.now());
  }
}

/** What follows the path's last fixed slash, without the query and without one slash that a gateway may have added. */
function identifierIn(url: string): string {
  const query = url.indexOf('?', OPEN_PATH.length);
  const end = query === -1 ? url.length : query;
  return url.slice(OPEN_PATH.length, url.charCodeAt(end - 1) === SLASH ? end - 1 : end);
}

const SLASH = 0x2f;
