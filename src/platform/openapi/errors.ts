import type { FieldProblem } from '../errors/domain-error.js';
import { list, object, optional, string, type Described } from './schemas.js';

interface ErrorBody {
  readonly error: string;
  readonly details?: readonly FieldProblem[];
}

const fieldProblem = object<FieldProblem>('FieldProblem', 'What is wrong with one field', {
  field: string('Name of the field, parameter or header', 'subject'),
  message: string('What is wrong with it', 'subject must not be empty'),
});

export const errorBody: Described = object<ErrorBody>('Error', 'Why a request was not served', {
  error: string('One readable sentence', 'subject must not be empty'),
  details: optional(list(fieldProblem, 'The fields that are wrong, each by name; only where fields are wrong')),
});

/** What each status says, whatever the route. */
export const errorDescriptions = {
  400: 'A field, parameter or header is missing or wrong, or the body is not a JSON object',
  401: 'The API key is missing, wrong or revoked',
  403: "The plan's limit of active campaigns is reached",
  404: 'There is no such thing in the organization of the key',
  409: 'It conflicts with what is there',
  413: 'The body has more bytes than the route takes: 10 MB where it carries an email, else 64 KB',
  415: 'The body is not announced as application/json, or is compressed',
  422: 'The Idempotency-Key was used with another request',
  429: 'Too many requests, or too many large bodies at once: wait as long as Retry-After says',
  500: 'A fault on our side; the sentence names the request id',
  503: 'Temporarily unavailable: try again after Retry-After',
} as const;

export type ErrorStatus = keyof typeof errorDescriptions;
