import { createHash } from 'node:crypto';
import { SigningKeys } from '../../src/links/signing-keys.js';

/** Keys with these ids, oldest first; the secret depends on the id alone. */
export function keysWith(...ids: number[]): SigningKeys {
  return new SigningKeys(ids.map((id) => ({ id, secret: createHash('sha256').update(`secret ${id}`).digest() })));
}
