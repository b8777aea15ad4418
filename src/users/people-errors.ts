import { DomainError } from '../platform/errors/domain-error.js';

/** Users of one organization. */
export const MAX_USERS = 200;

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
  constructor() {
    super('forbidden', `An organization can have ${MAX_USERS} users: remove one first`);
  }
}
