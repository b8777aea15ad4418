import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { renderingProblem } from '../emails/accept/rendering-problem.js';
import { TemplateError, UnknownVariableError, type TemplateField } from '../rendering/liquid/template-errors.js';

const FIELDS: Record<TemplateField, string> = { subject: 'subject', html: 'htmlContent', text: 'textContent' };

/**
 * Waits for the rendering of a message with variables, and maps its error to the error for the API client, as
 * `renderingProblem` does for a message without.
 */
export async function orMessageProblem<Rendered>(rendering: Promise<Rendered>): Promise<Rendered> {
  try {
    return await rendering;
  } catch (error) {
    throw messageProblem(error);
  }
}

function messageProblem(error: unknown): unknown {
  if (error instanceof TemplateError) {
    return new InvalidFieldError(FIELDS[error.field], `is not a valid template: ${error.message}`);
  }
  if (error instanceof UnknownVariableError) {
    return new InvalidFieldError('variables', `has no ${error.variable}, which ${FIELDS[error.field]} uses`);
  }
  return renderingProblem(error);
}
