import { RefusedMessageError } from '../accept/batch/refused-message-error.js';
import { UnsupportedFieldError } from './read-object.js';
import { DomainError, type FieldProblem } from '../../platform/errors/domain-error.js';

/**
 * Our name of a field to the name in another API, such as `htmlContent` to `html`.
 * @param position of the message in its request
 */
export type FieldNames = (field: string, position: number) => string;

/** Runs `send`; its errors name the fields of the other API. */
export async function withFieldNames<Result>(names: FieldNames, send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof DomainError) || error instanceof UnsupportedFieldError || !error.details) throw error;
    const position = error instanceof RefusedMessageError ? error.position : 0;
    const details = error.details.map((problem) => renamed(problem, (field) => names(field, position)));
    throw new DomainError(error.kind, sentenceOf(details), details);
  }
}

/** The problems of one message in the names of the other API, as one sentence. */
export function problemsIn(names: FieldNames, details: readonly FieldProblem[], position: number): string {
  return sentenceOf(details.map((problem) => renamed(problem, (field) => names(field, position))));
}

function sentenceOf(problems: readonly FieldProblem[]): string {
  return problems.map(({ message }) => message).join('; ');
}

/** What a sentence may name beside its own field. */
const OTHER_FIELDS = /\b(?:textContent|templateId)\b/g;

/** Our sentences begin with the name of the field. */
function renamed({ field, message }: FieldProblem, nameOf: (field: string) => string): FieldProblem {
  const name = nameOf(field);
  const text = message.startsWith(field) ? name + message.slice(field.length) : message;
  return { field: name, message: text.replace(OTHER_FIELDS, nameOf) };
}
