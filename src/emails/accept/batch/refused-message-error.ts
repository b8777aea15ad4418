import { DomainError } from '../../../platform/errors/domain-error.js';

/** Why one message refuses its whole batch. */
export class RefusedMessageError extends DomainError {
  /** @param position of the message in its batch */
  constructor(
    readonly position: number,
    override readonly cause: DomainError,
  ) {
    super(cause.kind, cause.message, cause.details);
  }
}
