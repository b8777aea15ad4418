import { DomainError } from '../errors/domain-error.js';

export class TooManyRequestsError extends DomainError {
  override readonly retryAfterSeconds: number;

  constructor(retryAfterMs: number) {
    super('too-many-requests', 'Too many requests: please slow down');
    this.retryAfterSeconds = inSeconds(retryAfterMs);
  }
}

/** Whole seconds, at least one: what headers can say. */
export function inSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
