import { randomBytes } from 'node:crypto';

/** AES-256. */
const KEY_BYTES = 32;

/** A key that encrypts stored secrets. Every sealed value contains the ID of its key. */
export interface EncryptionKey {
  readonly id: string;
  readonly secret: Buffer;
}

/** At least one key. The first one seals, and all of them open. */
export type EncryptionKeys = readonly [EncryptionKey, ...EncryptionKey[]];

/**
 * Reads `id:base64,…`. The first key seals and every key opens, so that a key can be rotated while both are in use.
 * Returns undefined for an invalid list. IDs are unique and have 1 to 16 letters and digits; secrets have 32 bytes.
 */
export function readEncryptionKeys(text: string): EncryptionKeys | undefined {
  const keys = text.split(',').map((entry) => readKey(entry.trim()));
  const [first, ...others] = keys.filter((key) => key !== undefined);
  const ids = new Set(keys.map((key) => key?.id));
  return first && others.length + 1 === keys.length && ids.size === keys.length ? [first, ...others] : undefined;
}

/** Generates a new key in the format of the setting. */
export function newEncryptionKey(id: string): string {
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

function readKey(entry: string): EncryptionKey | undefined {
  const [, id, encoded] = /^([A-Za-z0-9]{1,16}):([A-Za-z0-9+/_-]{43}=?)$/.exec(entry) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  const secret = Buffer.from(encoded, 'base64');
  return secret.length === KEY_BYTES ? { id, secret } : undefined;
}
