import { DomainError, type FieldProblem } from '../../../platform/errors/domain-error.js';
import type { SuppressedRecipient } from '../../recipients/suppressed-recipients.js';
import type { NewEmail } from '../new-email.js';
import type { BatchEmail } from './accepted-batches.js';
import type { BatchEntry } from './batch-entries.js';

/** The result for one message of a batch. */
export type BatchResult =
  | {
      readonly id: string;
      readonly emailTrackingId: string;
      readonly status: 'queued' | 'scheduled';
      readonly suppressed?: readonly SuppressedRecipient[];
    }
  | { readonly error: string; readonly details?: readonly FieldProblem[] };

/** In the order of the messages. */
export interface BatchResponse {
  readonly emails: readonly BatchResult[];
}

export function toBatchResponse(emails: readonly BatchEntry<BatchEmail>[]): BatchResponse {
  return { emails: emails.map((entry) => (entry instanceof DomainError ? toProblem(entry) : toResult(entry))) };
}

/** Those that the response names. */
export function storedAmong(emails: readonly NewEmail[], { emails: results }: BatchResponse): NewEmail[] {
  const ids = new Set(results.flatMap((result) => ('id' in result ? [result.id] : [])));
  return emails.filter(({ id }) => ids.has(id));
}

function toResult({ email, suppressed }: BatchEmail): BatchResult {
  const { id, trackingId: emailTrackingId, sendAt } = email;
  return {
    id,
    emailTrackingId,
    status: sendAt ? 'scheduled' : 'queued',
    ...(suppressed.length > 0 && { suppressed }),
  };
}

function toProblem({ message, details }: DomainError): BatchResult {
  return { error: message, ...(details && { details }) };
}
