import { DomainError, InvalidFieldError } from '../platform/errors/domain-error.js';
import type { SuppressedRecipient } from './recipients/suppressed-recipients.js';

export class DeliveryFailedError extends DomainError {
  constructor(reason: string) {
    super('delivery-failed', `Email delivery failed: ${reason}`);
  }
}

/** Thrown on a retry of an email that did not fail. */
export class EmailNotFailedError extends DomainError {
  constructor(status: string) {
    super('conflict', `Only a failed email can be retried; this one is ${status}`);
  }
}

/**
 * Thrown on a cancellation of an email that a worker has claimed, that may have reached a recipient, or that is final.
 */
export class EmailNotCancelableError extends DomainError {
  constructor(status: string) {
    const isFinal = `Only a scheduled or queued email can be canceled; this one is ${status}`;
    super('conflict', status === 'queued' ? 'The email may have reached a recipient already' : isFinal);
  }
}

/** Thrown on a change of the time of an email that is not scheduled. */
export class EmailNotScheduledError extends DomainError {
  constructor(status: string) {
    super('conflict', `Only a scheduled email can be rescheduled; this one is ${status}`);
  }
}

/** Thrown on a retry of an email whose recipient was erased, or whose body was deleted after its retention. */
export class EmailContentGoneError extends DomainError {
  constructor() {
    super('conflict', 'The recipient or the body of this email was deleted, so the email cannot be retried');
  }
}

export class CampaignOfEmailArchivedError extends DomainError {
  constructor() {
    super('conflict', 'The campaign of this email is archived, so the email cannot be retried');
  }
}

/** A canceled broadcast sends no more emails. */
export class BroadcastOfEmailCanceledError extends DomainError {
  constructor() {
    super('conflict', 'The broadcast of this email is canceled, so the email cannot be retried');
  }
}

/** Thrown on a send of an organization whose mail bounces or is complained about too often. */
export class SendingPausedError extends DomainError {
  constructor(reason: string) {
    super('forbidden', `Sending is paused: ${reason}`);
  }
}

export class EmailNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Email not found');
  }
}

export const INTERNATIONAL_ADDRESS = 'must have only ASCII characters before the @';

/** Thrown for an address like jörg@example.com. */
export class InternationalAddressError extends InvalidFieldError {
  constructor(field: string) {
    super(field, INTERNATIONAL_ADDRESS);
  }
}

/** No address of `to` may get the email. Nothing is stored, and an idempotency key stays free. */
export class RecipientsSuppressedError extends DomainError {
  /** @param suppressed the addresses of `to` */
  constructor(suppressed: readonly SuppressedRecipient[]) {
    super(
      'unprocessable',
      'Every address in to is suppressed',
      suppressed.map(({ address, reason }) => ({ field: 'to', message: `${address} is suppressed: ${reason}` })),
    );
  }
}
