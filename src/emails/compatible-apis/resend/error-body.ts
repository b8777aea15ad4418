import { IdempotencyKeyReusedError } from '../../idempotency/idempotency-errors.js';
import type { ErrorResponse } from '../../../platform/http/error.filter.js';

/** Resend's names of errors; other statuses are validation errors below 500, and errors of the application above. */
const NAMES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  403: 'restricted_api_key',
  404: 'not_found',
  409: 'concurrent_idempotent_requests',
  429: 'rate_limit_exceeded',
};

/** The form of errors that Resend's libraries read. */
export function resendError({ status, error }: ErrorResponse, cause: unknown): object {
  return { statusCode: status, name: nameOf(status, cause), message: error };
}

function nameOf(status: number, cause: unknown): string {
  if (cause instanceof IdempotencyKeyReusedError) return 'invalid_idempotent_request';
  return NAMES[status] ?? (status < 500 ? 'validation_error' : 'application_error');
}
