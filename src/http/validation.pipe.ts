import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { DomainError, type FieldProblem } from '../errors/domain-error.js';

/** Unknown keys of a body are dropped, known ones must fit; the answer names every field that does not. */
export function createValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    whitelist: true,
    transform: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    exceptionFactory: (errors) => new InvalidRequestError(errors.flatMap((error) => problemsOf(error))),
  });
}

export class InvalidRequestError extends DomainError {
  constructor(problems: FieldProblem[]) {
    super(
      'invalid',
      problems.map((problem) => problem.message).join('; ') || 'The body must be a JSON object',
      problems,
    );
  }
}

function problemsOf(error: ValidationError, path = ''): FieldProblem[] {
  const field = path === '' ? error.property : `${path}.${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((message) => ({ field, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, field))];
}
