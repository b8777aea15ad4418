import { DomainError } from '../errors/domain-error.js';

/** A body that is not a JSON object at all. */
export class InvalidBodyError extends DomainError {
  constructor(message: string) {
    super('invalid', message);
  }
}
