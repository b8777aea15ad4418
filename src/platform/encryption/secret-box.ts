import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKey, EncryptionKeys } from './encryption-keys.js';

/** A nonce of 96 bits and a tag of 128 bits (NIST SP 800-38D). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const VERSION = 'v1';

/** Thrown when a sealed value cannot be opened. The message contains neither the secret nor a key. */
export class DecryptionError extends Error {}

/**
 * Encrypts secrets at rest. A sealed value is bound to its context, the row that stores it, so that it cannot be opened
 * after being moved to another row.
 */
export class SecretBox {
  private readonly byId: ReadonlyMap<string, EncryptionKey>;

  constructor(private readonly keys: EncryptionKeys) {
    this.byId = new Map(keys.map((key) => [key.id, key]));
  }

  /** Returns `v1.<key id>.<base64url of nonce, tag and ciphertext>`. Every call returns a different value. */
  seal(plain: string | Buffer, context: string): string {
    const [key] = this.keys;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key.secret, nonce).setAAD(Buffer.from(context));
    const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
    return `${this.currentPrefix}${Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
  }

  /** @throws DecryptionError when the key is unknown, the context differs or the value was altered */
  open(sealed: string, context: string): Buffer {
    const [version, keyId, encoded] = sealed.split('.');
    if (version !== VERSION || keyId === undefined || encoded === undefined) {
      throw new DecryptionError('The value is not a sealed secret');
    }
    const key = this.byId.get(keyId);
    if (!key) throw new DecryptionError(`A secret is sealed with key ${keyId}, which is missing in ENCRYPTION_KEYS`);
    return decrypt(key, Buffer.from(encoded, 'base64url'), context);
  }

  /** Prefix of all values sealed with the current key. */
  get currentPrefix(): string {
    return `${VERSION}.${this.keys[0].id}.`;
  }
}

function decrypt(key: EncryptionKey, bytes: Buffer, context: string): Buffer {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, key.secret, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    throw new DecryptionError(
      `A secret sealed with key ${key.id} does not open: the value was altered or moved, or the key differs`,
    );
  }
}
