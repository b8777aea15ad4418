import { DomainError } from '../platform/errors/domain-error.js';

export class UserNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'User not found');
  }
}

export class AlreadyAMemberError extends DomainError {
  constructor() {
    super('conflict', 'This user is already in the organization: change the role instead');
  }
}

export class LastOwnerError extends DomainError {
  constructor() {
    super('conflict', 'The organization needs an owner who has opened it: make another user an owner first');
  }
}

export class TooManyUsersError extends DomainError {
  /** @param limit users of one organization */
  constructor(limit: number) {
    super('forbidden', `An organization can have ${limit} users: remove one first`);
  }
}
