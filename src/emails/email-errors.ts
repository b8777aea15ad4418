import { DomainError } from '../errors/domain-error.js';

export class DeliveryFailedError extends DomainError {
  constructor(reason: string) {
    super('delivery-failed', `Email delivery failed: ${reason}`);
  }
}

export class EmailNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Email not found');
  }
}
