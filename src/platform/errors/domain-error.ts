/** Kinds of errors in the product's terms. `http/` maps each kind to a status in one table. */
export type DomainErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'timeout'
  | 'conflict'
  | 'too-large'
  | 'unsupported-body'
  | 'unprocessable'
  | 'too-many-requests'
  | 'delivery-failed'
  | 'unavailable';

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** An error whose message is shown to the API client: one readable sentence without internals. */
export class DomainError extends Error {
  /** Seconds to wait before a retry, if known. */
  readonly retryAfterSeconds?: number;

  constructor(
    readonly kind: DomainErrorKind,
    message: string,
    readonly details?: readonly FieldProblem[],
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** A request with one invalid field. */
export class InvalidFieldError extends DomainError {
  /** @param problem continues the name of the field to a sentence, such as "must not be empty" */
  constructor(field: string, problem: string) {
    const message = `${field} ${problem}`;
    super('invalid', message, [{ field, message }]);
  }
}
