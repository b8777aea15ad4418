import { DomainError } from '../../platform/errors/domain-error.js';

/**
 * The same response for an unknown user, a wrong password, a wrong code and a used link, so that it reveals nothing.
 */
export class SignInRefusedError extends DomainError {
  constructor() {
    super('unauthorized', 'The email address, password, code or link is wrong or no longer valid');
  }
}

/** A signed-in user has given a wrong password or code. */
export abstract class WrongSecretError extends DomainError {
  constructor(message: string, field: string) {
    super('forbidden', message, [{ field, message: `${field} is wrong` }]);
  }
}

/** Shown only to someone who knows the password or has the link. */
export class CodeRequiredError extends DomainError {
  constructor() {
    super('unauthorized', 'Enter the code from your authenticator app', [
      { field: 'code', message: 'code is required' },
    ]);
  }
}
