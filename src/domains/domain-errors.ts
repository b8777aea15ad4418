import { DomainError } from '../platform/errors/domain-error.js';

/** The same for a domain that is not there and one of another organization. */
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

/** Told only to who has shown that the domain is theirs: nobody else learns who uses the service. */
export class SendingDomainTakenError extends DomainError {
  constructor() {
    super(
      'conflict',
      'This domain is verified in another organization. It can be verified here once it was deleted there',
    );
  }
}
