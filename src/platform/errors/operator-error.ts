/**
 * An error for the operator. Its message states each problem and its remedy on one line. It is printed without a stack.
 */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
