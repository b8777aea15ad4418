import { DomainError } from '../../platform/errors/domain-error.js';

/** Does not distinguish a missing domain from one of another organization. */
export class TrackingDomainNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Tracking domain not found');
  }
}

export class TrackingDomainExistsError extends DomainError {
  constructor() {
    super('conflict', 'This tracking domain was added already');
  }
}

export class TrackingDomainLimitError extends DomainError {
  constructor(limit: number) {
    super('conflict', `An organization can have ${limit} tracking domains: delete one first`);
  }
}

export class TrackingTargetMissingError extends DomainError {
  constructor() {
    super(
      'conflict',
      'Tracking domains need a public name of this service: its operator must set BASE_URL or TRACKING_DOMAIN_TARGET',
    );
  }
}
