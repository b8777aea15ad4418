import { createHash, timingSafeEqual } from 'node:crypto';

const USER = 'operator';

/**
 * Whether an Authorization header names the operator and the password (RFC 7617). Hashes have one length, so that
 * the comparison takes as long for every guess.
 */
export function isOperator(authorization: string | undefined, password: string): boolean {
  const encoded = /^basic ([a-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return false;
  const given = Buffer.from(encoded, 'base64').toString('utf8');
  return timingSafeEqual(sha256(given), sha256(`${USER}:${password}`));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
