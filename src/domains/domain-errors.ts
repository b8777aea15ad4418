import { DomainError } from '../platform/errors/domain-error.js';

/** Does not distinguish a missing domain from one of another organization. */
export class SendingDomainNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Domain not found');
  }
}

export class SendingDomainExistsError extends DomainError {
  constructor() {
    super('conflict', 'This domain was added already');
  }
}

export class SendingDomainLimitError extends DomainError {
  constructor(limit: number) {
    super('conflict', `An organization can have ${limit} domains: delete one first`);
  }
}

/**
 * For sending and tracking domains. Returned only after the records were found, so that others cannot learn which
 * domains are in use.
 */
export class DomainTakenError extends DomainError {
  constructor() {
    super('conflict', 'This domain is verified in another organization. Delete it there before you verify it here');
  }
}
