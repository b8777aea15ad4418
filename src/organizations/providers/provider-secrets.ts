import type { ProviderCredentials, ProviderType } from '../../platform/config/provider-credentials.js';
import { sealContext, type SealedColumn } from '../../platform/encryption/sealed-column.js';
import type { SecretBox } from '../../platform/encryption/secret-box.js';

const credentialsColumn: SealedColumn = { table: 'organization_providers', column: 'sealed_credentials' };
const eventKeyColumn: SealedColumn = { table: 'organization_providers', column: 'sealed_event_key' };

/** Columns that hold secrets of organizations' providers. */
export const providerSecretColumns: readonly SealedColumn[] = [credentialsColumn, eventKeyColumn];

export function sealCredentials(box: SecretBox, providerId: string, credentials: object): string {
  return box.seal(JSON.stringify(credentials), sealContext(credentialsColumn, providerId));
}

/** @throws DecryptionError */
export function openCredentials<Type extends ProviderType>(
  box: SecretBox,
  providerId: string,
  sealed: string,
): ProviderCredentials[Type] {
  const opened = box.open(sealed, sealContext(credentialsColumn, providerId));
  return JSON.parse(opened.toString('utf8')) as ProviderCredentials[Type];
}

export function sealEventKey(box: SecretBox, providerId: string, eventKey: string): string {
  return box.seal(eventKey, sealContext(eventKeyColumn, providerId));
}

/** @throws DecryptionError */
export function openEventKey(box: SecretBox, providerId: string, sealed: string): string {
  return box.open(sealed, sealContext(eventKeyColumn, providerId)).toString('utf8');
}
