import { getHeapStatistics } from 'node:v8';
import type { RunSettings } from '../config/settings.js';
import { DomainError } from '../errors/domain-error.js';
import { KeyCounts } from '../memory/key-counts.js';

const MEGABYTE = 1024 * 1024;
/** A body takes a few times its size in memory, as a string and as objects. */
const SHARE_OF_HEAP = 1 / 8;
const RETRY_AFTER_SECONDS = 1;

/** The bodies of all organizations together have reached the limit of the process. */
export class TooManyBodyBytesError extends DomainError {
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor() {
    super('unavailable', 'The service is temporarily unavailable, please try again');
  }
}

/** The bodies of one organization, or of clients without a key, have reached their share of the limit. */
export class BodyShareExceededError extends DomainError {
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor() {
    super(
      'too-many-requests',
      'Too many large requests or unread responses at once: please read responses before sending more',
    );
  }
}

/** Bytes that bodies may hold at once in this process: the setting, or a share of the heap. */
export function bodyBytesLimit({ REQUEST_BODIES_MB }: Pick<RunSettings, 'REQUEST_BODIES_MB'>): number {
  const megabytes = REQUEST_BODIES_MB ?? (getHeapStatistics().heap_size_limit * SHARE_OF_HEAP) / MEGABYTE;
  return Math.round(megabytes * MEGABYTE);
}

/** Owners of reserved bytes, each with its limit. */
type Shares = readonly (readonly [owner: string, limit: number])[];

/**
 * Bounds the bytes of bodies that a process holds: those of requests from their arrival until the response, those of
 * responses until the client has read them. One organization may hold at most half of them, so that its slow or large
 * requests do not block other organizations. All clients without a key may hold another half together, because one
 * client can have many networks.
 */
export class BodyBudget {
  readonly limit: number;
  private readonly share: number;
  private readonly shareOfNetwork: number;
  private readonly heldBy = new KeyCounts();
  private total = 0;

  /** @param largestBody size in bytes; one body of this size always fits */
  constructor(limit: number, largestBody: number) {
    this.limit = Math.max(limit, largestBody);
    this.share = Math.max(this.limit / 2, largestBody);
    this.shareOfNetwork = Math.max(this.limit / 4, largestBody);
  }

  get held(): number {
    return this.total;
  }

  /** @param organization whose key the request has */
  open(organization: string): BodyReservation {
    return new BodyReservation(this, [[`organization ${organization}`, this.share]]);
  }

  /** @param network of the client, see `clientNetwork` */
  openWithoutKey(network: string): BodyReservation {
    return new BodyReservation(this, [
      [`network ${network}`, this.shareOfNetwork],
      ['without a key', this.share],
    ]);
  }

  /** @throws TooManyBodyBytesError, BodyShareExceededError */
  requireRoom(shares: Shares, bytes: number): void {
    if (shares.some(([owner, limit]) => this.heldBy.countOf(owner) + bytes > limit)) throw new BodyShareExceededError();
    if (this.total + bytes > this.limit) throw new TooManyBodyBytesError();
  }

  /** @param bytes negative to give them back */
  add(shares: Shares, bytes: number): void {
    for (const [owner] of shares) this.heldBy.add(owner, bytes);
    this.total += bytes;
  }
}

/** The bytes that one request has reserved. */
export class BodyReservation {
  private bytes = 0;

  constructor(
    private readonly budget: BodyBudget,
    private readonly shares: Shares,
  ) {}

  /** @throws TooManyBodyBytesError, BodyShareExceededError */
  grow(bytes: number): void {
    this.budget.requireRoom(this.shares, bytes);
    this.hold(bytes);
  }

  /** Reserves bytes that are needed in any case: from then on, others are refused. */
  hold(bytes: number): void {
    this.budget.add(this.shares, bytes);
    this.bytes += bytes;
  }

  release(): void {
    this.budget.add(this.shares, -this.bytes);
    this.bytes = 0;
  }
}
