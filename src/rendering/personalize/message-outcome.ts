import { TemplateError, UnknownVariableError, type TemplateField } from '../liquid/template-errors.js';
import { RenderingLimitError, RenderingTimeError, TOO_DEEP_OR_LONG } from '../rendering-limit-error.js';

/** The result of a thread for a message with variables. Plain data, because errors lose their class between threads. */
export type MessageOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | {
      readonly kind: 'invalid';
      readonly field: TemplateField;
      readonly problem: string;
      readonly line: number;
      readonly column: number;
    }
  | { readonly kind: 'unknown variable'; readonly field: TemplateField; readonly variable: string }
  | { readonly kind: 'limit' | 'time limit'; readonly message: string };

export function outcomeOf<Result>(work: () => Result): MessageOutcome<Result> {
  try {
    return { kind: 'done', result: work() };
  } catch (error) {
    if (error instanceof TemplateError) {
      const { field, problem, line, column } = error;
      return { kind: 'invalid', field, problem, line, column };
    }
    if (error instanceof UnknownVariableError) {
      return { kind: 'unknown variable', field: error.field, variable: error.variable };
    }
    if (error instanceof RenderingTimeError) return { kind: 'time limit', message: error.message };
    if (error instanceof RenderingLimitError) return { kind: 'limit', message: error.message };
    if (error instanceof RangeError) return { kind: 'limit', message: TOO_DEEP_OR_LONG };
    throw error;
  }
}

/** @throws TemplateError, UnknownVariableError, RenderingLimitError */
export function resultOf<Result>(outcome: MessageOutcome<Result>): Result {
  switch (outcome.kind) {
    case 'done':
      return outcome.result;
    case 'invalid':
      throw new TemplateError(outcome.field, outcome.problem, outcome.line, outcome.column);
    case 'unknown variable':
      throw new UnknownVariableError(outcome.field, outcome.variable);
    case 'limit':
      throw new RenderingLimitError(outcome.message);
    case 'time limit':
      throw new RenderingTimeError(outcome.message);
  }
}
