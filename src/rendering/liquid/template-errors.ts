export type TemplateField = 'subject' | 'html' | 'text';

/** A template that does not parse, or that fails while it is rendered. */
export class TemplateError extends Error {
  /** @param line and column, from 1: where the faulty tag or output begins */
  constructor(
    readonly field: TemplateField,
    readonly problem: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(`line ${line}, column ${column}: ${problem}`);
    this.name = 'TemplateError';
  }
}

/** In strict mode, a template uses a variable that has no value. */
export class UnknownVariableError extends Error {
  constructor(
    readonly field: TemplateField,
    /** Its path, such as `order.total`. */
    readonly variable: string,
  ) {
    super(`the variable ${variable} is unknown`);
    this.name = 'UnknownVariableError';
  }
}
