import { DomainError } from '../../platform/errors/domain-error.js';

/** Nothing verifies calls to this address: the same response whatever the reason. */
export class EventsNotSetUpError extends DomainError {
  constructor() {
    super('not-found', 'Not found');
  }
}

/** The same response for a missing, malformed, outdated and wrong signature. */
export class InvalidSignatureError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing signature');
  }
}
