import { DomainError } from '../../platform/errors/domain-error.js';

/** The same key with another request. */
export class IdempotencyKeyReusedError extends DomainError {
  constructor() {
    super('unprocessable', 'This Idempotency-Key was used with another request');
  }
}

/** The first request with the key has no answer yet. */
export class RequestStillRunningError extends DomainError {
  override readonly retryAfterSeconds = 1;

  constructor() {
    super('conflict', 'The first request with this Idempotency-Key is still running');
  }
}

/** Another request stored its email under the key in the meantime: that one's answer is the one to give. */
export class IdempotencyKeyTakenError extends Error {
  constructor() {
    super('Another request holds the idempotency key');
    this.name = 'IdempotencyKeyTakenError';
  }
}
