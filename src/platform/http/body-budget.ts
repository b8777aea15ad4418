import { getHeapStatistics } from 'node:v8';
import { DomainError } from '../errors/domain-error.js';
import type { RunSettings } from '../config/settings.js';

const MEGABYTE = 1024 * 1024;
/** What a body leaves in memory, as text and as objects, is a few times its size. */
const SHARE_OF_HEAP = 1 / 8;
const RETRY_AFTER_SECONDS = 1;

/** The bodies of all requests together have as many bytes as the process may hold. */
export class TooManyBodyBytesError extends DomainError {
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor() {
    super('unavailable', 'The service is temporarily unavailable, please try again');
  }
}

/** The bodies of one organization's requests have as many bytes as it may have under way at once. */
export class BodyShareExceededError extends DomainError {
  override readonly retryAfterSeconds = RETRY_AFTER_SECONDS;

  constructor() {
    super('too-many-requests', 'Too many large requests at once: please wait for responses before sending more');
  }
}

/** Bytes that the bodies of requests may hold at once in this process, by setting or by the size of its heap. */
export function bodyBytesLimit({ REQUEST_BODIES_MB }: Pick<RunSettings, 'REQUEST_BODIES_MB'>): number {
  const megabytes = REQUEST_BODIES_MB ?? (getHeapStatistics().heap_size_limit * SHARE_OF_HEAP) / MEGABYTE;
  return Math.round(megabytes * MEGABYTE);
}

/**
 * Bounds the bytes of request bodies that a process holds, from their arrival until their response. Half of them is
 * the most that one organization may hold, so that its slow or large uploads do not keep others out.
 */
export class BodyBudget {
  readonly limit: number;
  private readonly share: number;
  private readonly heldBy = new Map<string, number>();
  private total = 0;

  /** @param largestBody in bytes: one such body always fits */
  constructor(limit: number, largestBody: number) {
    this.limit = Math.max(limit, largestBody);
    this.share = Math.max(this.limit / 2, largestBody);
  }

  get held(): number {
    return this.total;
  }

  /** @param owner organization of the request */
  open(owner: string): BodyReservation {
    return new BodyReservation(
      (bytes) => this.take(owner, bytes),
      (bytes) => this.giveBack(owner, bytes),
    );
  }

  private take(owner: string, bytes: number): void {
    const held = (this.heldBy.get(owner) ?? 0) + bytes;
    if (held > this.share) throw new BodyShareExceededError();
    if (this.total + bytes > this.limit) throw new TooManyBodyBytesError();
    this.heldBy.set(owner, held);
    this.total += bytes;
  }

  private giveBack(owner: string, bytes: number): void {
    const held = (this.heldBy.get(owner) ?? 0) - bytes;
    if (held > 0) this.heldBy.set(owner, held);
    else this.heldBy.delete(owner);
    this.total -= bytes;
  }
}

/** What one request holds of the budget. */
export class BodyReservation {
  private bytes = 0;

  constructor(
    private readonly take: (bytes: number) => void,
    private readonly giveBack: (bytes: number) => void,
  ) {}

  /** @throws TooManyBodyBytesError, BodyShareExceededError */
  grow(bytes: number): void {
    this.take(bytes);
    this.bytes += bytes;
  }

  release(): void {
    if (this.bytes > 0) this.giveBack(this.bytes);
    this.bytes = 0;
  }
}
