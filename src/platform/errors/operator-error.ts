/**
 * An error for whoever starts or operates the program: its message says what is wrong and what to do,
 * in a line per problem, and a stack would only hide it.
 */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
