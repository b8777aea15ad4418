import type { Clock } from '../../platform/clock/clock.js';
import { HeaderNames, type RequestHead } from '../../platform/http/fast-path/request-head.js';
import type { Reply } from '../../platform/http/fast-path/static-response.js';
import type { TrackingHosts } from '../../domains/tracking/tracking-hosts.js';
import { isEmailTrackingId } from '../../links/email-tracking-id.js';
import type { BlockKind } from '../../links/blocking/block-kinds.js';
import type { LinkBlocking } from '../../links/blocking/link-blocking.js';
import { readLink } from '../../links/link-token.js';
import { locationOf } from '../../links/location-header.js';
import type { SigningKeys } from '../../links/signing-keys.js';
import type { SingleEvent } from '../../events/engagement-event.js';
import { NO_SIGN, type VerdictCode } from '../../events/verdict.js';
import type { EventSink } from './event-sink.js';
import { blockedLinkResponse } from './blocked-link-page.js';
import { BAD_LINK_RESPONSE, METHOD_NOT_ALLOWED_RESPONSE, PIXEL_RESPONSE } from './responses.js';
import { HitLimiter } from '../../platform/rate-limit/hit-limiter.js';
import { HitSums } from './hit-sums.js';
import type { HitVerdicts } from './hit-verdicts.js';
import { tokenOf, TRACKING_PREFIX } from './tracking-paths.js';
import { TrackingRequest } from './tracking-request.js';
import type { TrackingMetrics } from './tracking-metrics.js';

const OPEN_PATH = `${TRACKING_PREFIX}o/`;
const CLICK_PATH = `${TRACKING_PREFIX}c/`;

const HOST = new HeaderNames(['host']);

/** Further hits on one pixel or link within a minute get the same response but are not counted. */
export const HITS_PER_MINUTE = 5_000;

/** 1 MB. At 50,000 hits a second, far more than a process can handle, a slot gets a dozen hits a minute. */
const SINGLE_BITS = 18;

/** Returns the current signing keys, so that a rotation takes effect without a restart. */
export type CurrentSigningKeys = () => SigningKeys;

/** Its verdict is added once the hit counts: a copy with the verdict takes a twentieth of the time of a click. */
type HitEvent = Exclude<SingleEvent, { type: 'sent' }> & { verdict?: VerdictCode };

/** How hits become events. */
interface HitPolicy {
  readonly verdicts: HitVerdicts;
  readonly blocking: Pick<LinkBlocking, 'isEmpty' | 'check' | 'isDeleted'>;
  readonly hosts: Pick<TrackingHosts, 'isEmpty' | 'serves'>;
  /** Maximum number of single events per email, for its pixel and links together. */
  readonly singlePerMinute: number;
}

/**
 * Handles opens and clicks before the web framework. It needs no Postgres and can work without Redis for a
 * while: tokens are signed, and a response waits only until its event is stored durably. A reader never sees an error
 * because an event could not be stored. Query strings are ignored, because mail clients and link checkers add their
 * own.
 */
export class TrackingEdge {
  private readonly limiter = new HitLimiter(HITS_PER_MINUTE);
  private readonly single: HitLimiter;
  private readonly sums: HitSums;

  constructor(
    private readonly keys: CurrentSigningKeys,
    private readonly events: EventSink,
    private readonly clock: Clock,
    private readonly metrics: TrackingMetrics,
    private readonly policy: HitPolicy,
  ) {
    this.single = new HitLimiter(policy.singlePerMinute, SINGLE_BITS);
    this.sums = new HitSums(events, clock);
  }

  /** Appends the remaining counts. Call it at shutdown, before the appender closes. */
  close(): void {
    this.sums.append();
  }

  /** Returns false, without handling the request, when its path is neither of an open nor of a click. */
  handle(method: string, url: string, reply: Reply, head: RequestHead): boolean {
    const isOpen = url.startsWith(OPEN_PATH);
    if (!isOpen && !url.startsWith(CLICK_PATH)) return false;
    const hit = new TrackingRequest(isOpen ? 'open' : 'click', this.clock.now(), reply, this.metrics);
    if (method !== 'GET' && method !== 'HEAD') hit.respond('method', METHOD_NOT_ALLOWED_RESPONSE);
    else if (isOpen) this.record(hit, this.openedBy(hit, url), method === 'HEAD', head);
    else this.take(hit, this.clickedBy(hit, url), method === 'HEAD', head);
    return true;
  }

  /**
   * A click that is blocked, or that comes at a tracking domain of another organization, is not an event: the reader
   * does not reach the destination, and it would improve the statistics of the abuser.
   */
  private take(hit: TrackingRequest, event: HitEvent | undefined, isHead: boolean, head: RequestHead): void {
    const { blocking, hosts } = this.policy;
    if (event !== undefined && !hosts.isEmpty && !hosts.serves(head.read(HOST)[0], event.emailTrackingId))
      return hit.respond('wrong-domain', BAD_LINK_RESPONSE);
    if (event === undefined || blocking.isEmpty) return this.record(hit, event, isHead, head);
    const goOn = (kind: BlockKind | undefined): void => {
      if (kind === undefined) this.record(hit, event, isHead, head);
      else if (kind === 'deleted') hit.respond('invalid', BAD_LINK_RESPONSE);
      else hit.respond('blocked', blockedLinkResponse(head));
    };
    const found = blocking.check(event.emailTrackingId, hit.location!);
    if (found instanceof Promise) void found.then(goOn);
    else goOn(found);
  }

  private record(hit: TrackingRequest, event: HitEvent | undefined, isHead: boolean, head: RequestHead): void {
    if (event === undefined) hit.respond('invalid', hit.kind === 'open' ? PIXEL_RESPONSE : BAD_LINK_RESPONSE);
    else if (isHead) hit.finish('head');
    else if (!this.limiter.allows(keyOf(event), hit.at)) hit.finish('over-limit');
    else if (this.single.allows(event.emailTrackingId, hit.at))
      this.events.appendFor(this.classified(hit, event, head), hit);
    else this.sum(hit, this.classified(hit, event, head));
  }

  private classified({ kind }: TrackingRequest, event: HitEvent, head: RequestHead): HitEvent {
    const verdict = this.policy.verdicts.of(kind, head);
    this.metrics.countVerdict(kind, verdict);
    if (verdict !== NO_SIGN) event.verdict = verdict;
    return event;
  }

  private sum(hit: TrackingRequest, event: HitEvent): void {
    this.sums.add(event);
    hit.finish('summed');
  }

  private openedBy({ id }: TrackingRequest, url: string): HitEvent | undefined {
    const emailTrackingId = tokenOf(url);
    if (!isEmailTrackingId(this.keys(), emailTrackingId)) return undefined;
    // No email counts an open of a deleted organization, so its event would become a dead letter.
    const { blocking } = this.policy;
    if (!blocking.isEmpty && blocking.isDeleted(emailTrackingId)) return undefined;
    return { type: 'opened', id, emailTrackingId: copyOf(emailTrackingId) };
  }

  private clickedBy(hit: TrackingRequest, target: string): HitEvent | undefined {
    const link = readLink(this.keys(), tokenOf(target));
    if (link === undefined) return undefined;
    const { position, url } = link;
    const emailTrackingId = copyOf(link.emailTrackingId);
    hit.location = locationOf(url);
    return { type: 'clicked', id: hit.id, emailTrackingId, linkPosition: position, url };
  }
}

/** A part of a text keeps the whole request head in memory for as long as its event waits, and a copy does not. */
function copyOf(emailTrackingId: string): string {
  return Buffer.from(emailTrackingId, 'latin1').toString('latin1');
}

/** The key of the limit: a pixel, or one link of an email. */
function keyOf(event: HitEvent): string {
  return event.type === 'clicked' ? `${event.emailTrackingId}/${event.linkPosition}` : event.emailTrackingId;
}
