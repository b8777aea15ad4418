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

/** Returned only after the ownership record was found, so that others cannot learn which domains are in use. */
export class SendingDomainTakenError extends DomainError {
  constructor() {
    super('conflict', 'This domain is verified in another organization. Delete it there before you verify it here');
  }
}
