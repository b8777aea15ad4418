import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { hasControlCharacters } from '../../emails/mailbox.js';

const MIN_PASSWORD = 12;
const MAX_PASSWORD = 256;
const MIN_DIFFERENT_CHARACTERS = 5;

/**
 * Length instead of composition (NIST SP 800-63B, 3.1.1.2). Refuses the few passwords that an attacker tries first.
 * @throws InvalidFieldError
 */
export function requireStrongPassword(field: string, password: string, email: string): void {
  const characters = [...password.normalize('NFKC')];
  if (characters.length < MIN_PASSWORD || characters.length > MAX_PASSWORD) {
    throw new InvalidFieldError(field, `must have ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`);
  }
  if (hasControlCharacters(password)) throw new InvalidFieldError(field, 'must not contain control characters');
  if (new Set(characters).size < MIN_DIFFERENT_CHARACTERS) {
    throw new InvalidFieldError(field, `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`);
  }
  const text = password.toLowerCase();
  if (text === email || text.startsWith(email.slice(0, email.indexOf('@') + 1))) {
    throw new InvalidFieldError(field, 'must not begin with your email address');
  }
}
