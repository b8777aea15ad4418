import type { FieldProblem } from '../errors/domain-error.js';
import { list, object, optional, string, type Described } from './schemas.js';

interface ErrorBody {
  readonly error: string;
  readonly details?: readonly FieldProblem[];
}

export const fieldProblem = object<FieldProblem>('FieldProblem', 'An error in one field', {
  field: string('Name of the field, parameter or header', 'subject'),
  message: string('Description of the error', 'subject must not be empty'),
});

export const errorBody: Described = object<ErrorBody>('Error', 'Why a request failed', {
  error: string('A human-readable sentence', 'subject must not be empty'),
  details: optional(list(fieldProblem, 'The invalid fields; absent if the error is not about a field')),
});

/** Default description of each error status. */
export const errorDescriptions = {
  400: 'A field, parameter or header is missing or invalid, or the body is not a JSON object',
  401: 'The API key is missing, invalid, expired or revoked',
  403: "The key lacks a scope or a permission, the plan's limit of active campaigns or a budget that does not renew is reached, the organization is suspended, or sending is paused because of bounces or complaints",
  404: "The key's organization has no such resource",
  408: 'The body arrived too slowly; nothing of it is stored, except recipients and imported addresses that had arrived',
  409: 'The request conflicts with the current state of the resource',
  413: 'The body exceeds the limit of the route, which the error names',
  414: 'A value in the path is too long',
  415: 'The Content-Type is not the documented one, or the body is compressed',
  422: 'The Idempotency-Key was used with another request',
  429: 'Too many requests, too many large bodies at once, or a budget is used up: retry after Retry-After',
  500: 'Internal error; the message contains the request ID',
  503: 'Temporarily unavailable: retry after Retry-After',
} as const;

export type ErrorStatus = keyof typeof errorDescriptions;
