import { DomainError } from '../platform/errors/domain-error.js';

/** The same response for a missing, malformed, unknown, wrong and revoked key, so that it reveals nothing. */
export class InvalidKeyError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing API key');
  }
}

/** Depends on the headers alone, so that it reveals nothing about the key. */
export class KeyInAuthorizationError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing API key: it belongs in the header x-api-key');
  }
}

/** For the routes of other services' libraries. Depends on the headers alone, too. */
export class KeyNotInAuthorizationError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing API key: it belongs in the header Authorization, after Bearer');
  }
}

/** The same response for an unknown and an ended session. */
export class InvalidSessionError extends DomainError {
  constructor() {
    super('unauthorized', 'The session is unknown or has ended: sign in again');
  }
}

export class NotAnOwnerError extends DomainError {
  constructor() {
    super('forbidden', 'Only owners of the organization can do this');
  }
}

export class SuspendedError extends DomainError {
  constructor(reason: string) {
    super('forbidden', `This organization is suspended: ${reason}`);
  }
}
