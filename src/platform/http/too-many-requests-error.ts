import { DomainError } from '../errors/domain-error.js';

export class TooManyRequestsError extends DomainError {
  override readonly retryAfterSeconds: number;

  constructor(retryAfterMs: number) {
    super('too-many-requests', 'Too many requests: please slow down');
    this.retryAfterSeconds = inSeconds(retryAfterMs);
  }
}

/** Rounds up to whole seconds, at least one, which is the format of the headers. */
export function inSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
