import { DomainError } from '../errors/domain-error.js';

/** The same for a webhook that is not there and one of another organization. */
export class WebhookNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Webhook not found');
  }
}

export class WebhookDeliveryNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Webhook delivery not found');
  }
}

export class WebhookLimitError extends DomainError {
  constructor(limit: number) {
    super('conflict', `An organization can have ${limit} webhooks: delete one first`);
  }
}

export class WebhookDisabledError extends DomainError {
  constructor() {
    super('conflict', 'The webhook is disabled: enable it first');
  }
}
