import { randomBytes } from 'node:crypto';
import { sealContext, type SealedColumn } from '../platform/encryption/sealed-column.js';
import { DecryptionError, type SecretBox } from '../platform/encryption/secret-box.js';

/** Standard Webhooks 1.0.0 requires 24 to 64 random bytes. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

const current = { table: 'webhook_endpoints', column: 'sealed_secret' } as const;
const previous = { table: 'webhook_endpoints', column: 'sealed_previous_secret' } as const;

/** Columns that hold sealed endpoint secrets. */
export const webhookSecretColumns: readonly SealedColumn[] = [previous, current];

export interface GeneratedSecret {
  /** `whsec_` and the secret in base64. Shown once. */
  readonly shown: string;
  readonly sealed: string;
}

export function generateSecret(box: SecretBox, endpointId: string): GeneratedSecret {
  const secret = randomBytes(SECRET_BYTES);
  return {
    shown: PREFIX + secret.toString('base64'),
    sealed: box.seal(secret, sealContext(current, endpointId)),
  };
}

/**
 * Seals the current secret again for the column of the previous one, because a sealed text opens only in its own
 * column.
 * @returns null when the encryption key is lost: the old secret can no longer sign, so the rotation proceeds without it
 */
export function sealAsPrevious(box: SecretBox, endpointId: string, sealedSecret: string): string | null {
  try {
    return box.seal(box.open(sealedSecret, sealContext(current, endpointId)), sealContext(previous, endpointId));
  } catch (error) {
    if (error instanceof DecryptionError) return null;
    throw error;
  }
}

/** Returns the signing keys, newest first. @throws DecryptionError */
export function openSecrets(
  box: SecretBox,
  endpointId: string,
  sealedSecret: string,
  sealedPreviousSecret: string | null,
): Buffer[] {
  const secrets = [box.open(sealedSecret, sealContext(current, endpointId))];
  if (sealedPreviousSecret !== null) {
    secrets.push(box.open(sealedPreviousSecret, sealContext(previous, endpointId)));
  }
  return secrets;
}
