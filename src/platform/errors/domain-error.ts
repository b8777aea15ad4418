/** What went wrong, in the product's terms; `http/` maps each kind to a status in one table. */
export type DomainErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'too-large'
  | 'unprocessable'
  | 'too-many-requests'
  | 'delivery-failed'
  | 'unavailable';

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** An error whose message is meant for the API client: one readable sentence without internals. */
export class DomainError extends Error {
  /** After how many seconds the same request may have another answer, where that can be told. */
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

/** A request that breaks a rule of one field. */
export class InvalidFieldError extends DomainError {
  constructor(field: string, message: string) {
    super('invalid', `${field} ${message}`, [{ field, message }]);
  }
}
