import { DomainError } from '../../../platform/errors/domain-error.js';

/** Why a message cannot be sent as it is. Its sender has to change it. */
export class MessageProblem extends DomainError {
  constructor(sentence: string) {
    super('invalid', sentence);
  }
}
