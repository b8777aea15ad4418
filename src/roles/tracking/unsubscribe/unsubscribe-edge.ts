import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RecipientEvent } from '../../../events/recipient-event.js';
import type { TrackingHosts } from '../../../domains/tracking/tracking-hosts.js';
import { readUnsubscription, type Unsubscription } from '../../../links/unsubscribe-token.js';
import type { Clock } from '../../../platform/clock/clock.js';
import { uuidV7 } from '../../../platform/clock/uuid-v7.js';
import type { EventSink } from '../event-sink.js';
import { HitLimiter } from '../../../platform/rate-limit/hit-limiter.js';
import { tokenOf, TRACKING_PREFIX } from '../tracking-paths.js';
import type { CurrentSigningKeys } from '../tracking-edge.js';
import { readShortBody } from './read-short-body.js';
import { readerLanguage } from './reader-language.js';
import { submittedChoice, type Choice } from './submitted-choice.js';
import type { UnsubscribeMetrics, UnsubscribeOutcome } from './unsubscribe-metrics.js';
import { invalidTokenPage, unsubscribePage, type PageKind } from './unsubscribe-page.js';

const PREFIX = `${TRACKING_PREFIX}u/`;
/** Far more than any mail program or our form sends. */
const MAX_BODY_BYTES = 4 * 1024;
/**
 * Limits how many entries one recipient can add to the history of an email, and to the webhooks of its
 * organization: each change of mind stores a body for each of them. There is no limit per client, because mail
 * services share addresses.
 */
export const CHOICES_PER_MINUTE = 10;
export const CHOICES_PER_DAY = 50;
const DAY_MS = 86_400_000;
const RETRY_AFTER_SECONDS = 60;
const RETRY_LATER_SECONDS = 3_600;
const METHODS = 'GET, HEAD, POST';

/** The result of one request: a page of this status, counted as this outcome. */
interface Result {
  readonly outcome: UnsubscribeOutcome;
  readonly status: number;
  readonly kind: PageKind;
  readonly choice?: Choice;
  readonly retryAfterSeconds?: number;
}

/**
 * Handles the unsubscribe page before the web framework. The token contains everything that the page needs, so it works
 * without Postgres and, for as long as the spool has room, without Redis. A choice is confirmed only after its event is
 * stored durably.
 */
export class UnsubscribeEdge {
  private readonly perMinute = new HitLimiter(CHOICES_PER_MINUTE);
  private readonly perDay = new HitLimiter(CHOICES_PER_DAY, 18, DAY_MS);

  constructor(
    private readonly keys: CurrentSigningKeys,
    private readonly events: EventSink,
    private readonly clock: Clock,
    private readonly metrics: UnsubscribeMetrics,
    private readonly hosts: Pick<TrackingHosts, 'serves'>,
  ) {}

  /** Returns false, without handling the request, when its path is not that of the unsubscribe page. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method } = request;
    if (!url.startsWith(PREFIX)) return false;
    const subject = readUnsubscription(this.keys(), tokenOf(url));
    const id = uuidV7(this.clock.now());
    response.setHeader('X-Request-Id', id);
    if (subject === undefined) this.refuse(request, response, 'invalid');
    else if (!this.hosts.serves(request.headers.host, subject.emailTrackingId))
      this.refuse(request, response, 'wrong-domain');
    else if (method === 'GET')
      this.respond(request, response, subject, { outcome: 'page', status: 200, kind: 'offer' });
    else if (method === 'HEAD')
      this.respond(request, response, subject, { outcome: 'head', status: 200, kind: 'offer' });
    else if (method === 'POST') void this.post(request, response, subject, id);
    else this.respond(request, response, subject, { outcome: 'method', status: 405, kind: 'offer' });
    return true;
  }

  private async post(request: IncomingMessage, response: ServerResponse, subject: Unsubscription, id: string) {
    const body = await readShortBody(request, response, MAX_BODY_BYTES);
    if (body === 'incomplete') return this.metrics.count('incomplete');
    if (body === 'too-large') {
      return this.respond(request, response, subject, { outcome: 'too-large', status: 413, kind: 'offer' });
    }
    const choice = submittedChoice(body, request.headers['content-type']);
    this.respond(request, response, subject, await this.carryOut(choice, subject.emailTrackingId, id));
  }

  private async carryOut(choice: Choice | undefined, email: string, id: string): Promise<Result> {
    if (choice === undefined) return { outcome: 'unrecognized', status: 400, kind: 'offer' };
    const retryAfterSeconds = this.secondsUntilAllowed(email);
    if (retryAfterSeconds > 0) return { outcome: 'over-limit', status: 429, kind: 'failed', choice, retryAfterSeconds };
    const fact = choice === 'unsubscribe' ? 'unsubscribed' : 'resubscribed';
    // Only emails to one recipient have a token.
    const result = await this.store({ type: 'recipient', id, email, recipient: 0, fact });
    if (result !== 'stored') {
      return { outcome: result, status: 503, kind: 'failed', choice, retryAfterSeconds: RETRY_AFTER_SECONDS };
    }
    return { outcome: fact, status: 200, kind: fact };
  }

  /** Counts a choice. 0 when it is allowed. */
  private secondsUntilAllowed(email: string): number {
    const now = this.clock.now();
    if (!this.perMinute.allows(email, now)) return RETRY_AFTER_SECONDS;
    return this.perDay.allows(email, now) ? 0 : RETRY_LATER_SECONDS;
  }

  /** The appender logs why it lost an event. A delayed one may still be stored; a repetition then changes nothing. */
  private store(event: RecipientEvent): Promise<'stored' | 'lost' | 'delayed'> {
    return new Promise((resolve) => {
      this.events.appendFor(event, {
        stored: () => resolve('stored'),
        lost: () => resolve('lost'),
        delayed: () => resolve('delayed'),
      });
    });
  }

  private respond(
    request: IncomingMessage,
    response: ServerResponse,
    subject: Unsubscription,
    { outcome, status, kind, choice, retryAfterSeconds }: Result,
  ): void {
    this.metrics.count(outcome);
    const page = unsubscribePage(kind, readerLanguage(request.headers['accept-language']), subject, choice);
    response.writeHead(status, {
      ...page.headers,
      ...(status === 405 && { Allow: METHODS }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': retryAfterSeconds }),
      ...closing(request),
    });
    response.end(page.body);
  }

  private refuse(request: IncomingMessage, response: ServerResponse, outcome: 'invalid' | 'wrong-domain'): void {
    this.metrics.count(outcome);
    const page = invalidTokenPage(readerLanguage(request.headers['accept-language']));
    response.writeHead(404, { ...page.headers, ...closing(request) });
    response.end(page.body);
  }
}

/** Closes the connection when the response comes before the end of the body. */
function closing(request: IncomingMessage): { Connection?: string } {
  return request.complete || request.method === 'GET' || request.method === 'HEAD' ? {} : { Connection: 'close' };
}
