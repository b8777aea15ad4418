import { createPrivateKey, generateKeyPair, randomBytes, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { sealContext, type SealedColumn } from '../platform/encryption/sealed-column.js';
import type { SecretBox } from '../platform/encryption/secret-box.js';

const generate = promisify(generateKeyPair);

/** Receivers must accept this size (RFC 8301, 3.2), and the record fits into every DNS panel. */
const MODULUS_BITS = 2048;

const column: SealedColumn = { table: 'sending_domains', column: 'sealed_dkim_key' };

/** Columns that hold sealed private DKIM keys. */
export const dkimKeyColumns: readonly SealedColumn[] = [column];

export interface GeneratedDkimKey {
  /** Random, so that two organizations or two keys never share a DNS name. */
  readonly selector: string;
  /** SubjectPublicKeyInfo in base64: the tag `p=` of the record (RFC 6376, 3.6.1). */
  readonly publicKey: string;
  /** The private key, sealed for the row of the domain. */
  readonly sealed: string;
}

export async function generateDkimKey(box: SecretBox, domainId: string): Promise<GeneratedDkimKey> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return {
    selector: `mb${randomBytes(5).toString('hex')}`,
    publicKey: publicKey.toString('base64'),
    sealed: box.seal(privateKey, sealContext(column, domainId)),
  };
}

/** @throws DecryptionError */
export function openDkimKey(box: SecretBox, domainId: string, sealed: string): KeyObject {
  return createPrivateKey({ key: box.open(sealed, sealContext(column, domainId)), type: 'pkcs8', format: 'der' });
}
