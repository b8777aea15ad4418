import { DomainError } from '../platform/errors/domain-error.js';

/** Does not distinguish a missing webhook from one of another organization. */
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

/** A third secret would have to remove the oldest one before its 24 hours end. */
export class WebhookRotationError extends DomainError {
  constructor(until: Date) {
    super(
      'conflict',
      `The secret was replaced less than 24 hours ago, and both sign until ${until.toISOString()}: replace it after that, or make another webhook`,
    );
  }
}

export class WebhookRateError extends DomainError {
  constructor(
    what: string,
    limit: number,
    override readonly retryAfterSeconds: number,
  ) {
    super('too-many-requests', `${what} ${limit} times a minute: try again in ${retryAfterSeconds} seconds`);
  }
}

export class WebhookDisabledError extends DomainError {
  constructor() {
    super('conflict', 'The webhook is disabled: enable it first');
  }
}
