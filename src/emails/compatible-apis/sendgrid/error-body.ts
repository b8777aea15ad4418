import type { ErrorResponse } from '../../../platform/http/error.filter.js';

/** The form of errors that SendGrid's libraries read. */
export function sendGridErrors({ error, details = [] }: ErrorResponse): object {
  const problems = details.length > 0 ? details : [{ field: null, message: error }];
  return { errors: problems.map(({ field, message }) => ({ message, field, help: null })) };
}
