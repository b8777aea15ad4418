import { DomainError } from '../platform/errors/domain-error.js';
import type { BroadcastStatus } from './broadcast-status.js';

export class BroadcastNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Broadcast not found');
  }
}

/** The broadcast is in a status that does not allow the request. */
export class BroadcastStatusError extends DomainError {
  /** @param verb what was requested, as a past participle */
  constructor(verb: string, status: BroadcastStatus) {
    super('conflict', `A broadcast with the status ${status} cannot be ${verb}`);
  }
}

/** The draft has another version than the one that the request changes. */
export class DraftChangedError extends DomainError {
  constructor() {
    super('conflict', 'The draft has changed meanwhile: read it again before you change it');
  }
}

export class NoRecipientsError extends DomainError {
  constructor() {
    super('conflict', 'The broadcast has no recipients: add them before you send it');
  }
}

export class RecipientNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'No recipient with this address is waiting for an email');
  }
}

/** Recipients can be added until the broadcast starts. */
export class RecipientsClosedError extends DomainError {
  constructor(status: BroadcastStatus) {
    super('conflict', `A broadcast with the status ${status} takes no more recipients`);
  }
}
