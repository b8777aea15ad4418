import { randomBytes } from 'node:crypto';

/** AES-256. */
const KEY_BYTES = 32;

/** A key that secrets are sealed with at rest; its id goes with everything it sealed. */
export interface EncryptionKey {
  readonly id: string;
  readonly secret: Buffer;
}

/** At least one; the first seals, all of them open. */
export type EncryptionKeys = readonly [EncryptionKey, ...EncryptionKey[]];

/**
 * Reads `id:base64,…`; the first key seals, every key opens, so that a key can be replaced while both are in use.
 * Undefined for a text that is not such a list: ids of 1 to 16 letters and digits, each once, secrets of 32 bytes.
 */
export function readEncryptionKeys(text: string): EncryptionKeys | undefined {
  const keys = text.split(',').map((entry) => readKey(entry.trim()));
  const [first, ...others] = keys.filter((key) => key !== undefined);
  const ids = new Set(keys.map((key) => key?.id));
  return first && others.length + 1 === keys.length && ids.size === keys.length ? [first, ...others] : undefined;
}

/** A new key as the setting takes it. */
export function newEncryptionKey(id: string): string {
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

function readKey(entry: string): EncryptionKey | undefined {
  const [, id, encoded] = /^([A-Za-z0-9]{1,16}):([A-Za-z0-9+/_-]{43}=?)$/.exec(entry) ?? [];
  if (id === undefined || encoded === undefined) return undefined;
  const secret = Buffer.from(encoded, 'base64');
  return secret.length === KEY_BYTES ? { id, secret } : undefined;
}
