import { DomainError } from '../../platform/errors/domain-error.js';

/** Does not distinguish a missing provider from one of another organization. */
export class ProviderNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Provider not found');
  }
}

export class ProviderNameTakenError extends DomainError {
  constructor() {
    super('conflict', 'The organization has a provider with this name already');
  }
}

export class ProviderLimitError extends DomainError {
  constructor(limit: number) {
    super('conflict', `An organization can have ${limit} providers: delete one first`);
  }
}

export class NothingToChangeInProviderError extends DomainError {
  constructor() {
    super('invalid', 'Nothing to change: give name, credentials, weight, perSecond or eventKey');
  }
}
