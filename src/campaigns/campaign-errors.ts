import { DomainError, InvalidFieldError } from '../platform/errors/domain-error.js';

export class CampaignNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Campaign not found');
  }
}

export class CampaignExistsError extends DomainError {
  constructor() {
    super('conflict', 'A campaign with this name already exists');
  }
}

export class CampaignLimitError extends DomainError {
  constructor(plan: string, limit: number) {
    super('forbidden', `The plan ${plan} allows ${limit} active campaigns`);
  }
}

export class CampaignAlreadyArchivedError extends DomainError {
  constructor() {
    super('invalid', 'Campaign is already archived');
  }
}

export class CampaignArchivedError extends InvalidFieldError {
  constructor() {
    super('campaignId', 'names an archived campaign, which accepts no new emails');
  }
}
