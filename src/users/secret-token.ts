import { randomBytes } from 'node:crypto';
import { sha256 } from '../platform/encryption/secret-digest.js';

/** 256 bits, base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A random secret for a cookie or a link, and the hash under which it is stored. */
export interface SecretToken {
  readonly token: string;
  readonly hash: Buffer;
}

export function generateSecretToken(): SecretToken {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: sha256(token) };
}

/**
 * Undefined for a text that is no such secret. Secrets are looked up by their hash, so there is no comparison whose
 * timing could leak.
 */
export function hashOfToken(text: string): Buffer | undefined {
  return TOKEN.test(text) ? sha256(text) : undefined;
}
