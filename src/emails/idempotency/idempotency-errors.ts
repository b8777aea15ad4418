import { DomainError } from '../../platform/errors/domain-error.js';

/** The key belongs to a different request. */
export class IdempotencyKeyReusedError extends DomainError {
  constructor() {
    super('unprocessable', 'This Idempotency-Key was used with another request');
  }
}

/** The first request with the key has no response yet. */
export class RequestStillRunningError extends DomainError {
  override readonly retryAfterSeconds = 1;

  constructor() {
    super('conflict', 'The first request with this Idempotency-Key is still running');
  }
}
