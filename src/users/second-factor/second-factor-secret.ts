import type { SecretBox } from '../../platform/encryption/secret-box.js';
import { sealContext, type SealedColumn } from '../../platform/encryption/sealed-column.js';

const column: SealedColumn = { table: 'users', column: 'sealed_totp_secret' };

/** Columns that hold secrets of second factors. */
export const secondFactorColumns: readonly SealedColumn[] = [column];

/** Binds the secret to the user: it cannot be opened for another user. */
export function sealSecondFactor(box: SecretBox, userId: string, secret: Buffer): string {
  return box.seal(secret, sealContext(column, userId));
}

export function openSecondFactor(box: SecretBox, userId: string, sealed: string): Buffer {
  return box.open(sealed, sealContext(column, userId));
}
