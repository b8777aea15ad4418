import { randomUUID } from 'node:crypto';
import { sealCredentials } from '../../src/organizations/providers/provider-secrets.js';
import type { ProviderType } from '../../src/platform/config/provider-credentials.js';
import { SecretBox } from '../../src/platform/encryption/secret-box.js';
import type { TestService } from './service.js';

type Service = Pick<TestService, 'database' | 'settings'>;

interface OwnProvider {
  readonly type?: ProviderType;
  readonly credentials: object;
  readonly weight?: number;
  readonly perSecond?: number;
}

/** Stores a provider of an organization without the checks of the API. @returns its ID */
export async function addOwnProvider(
  { database, settings }: Service,
  organizationId: string,
  { type = 'smtp', credentials, weight, perSecond }: OwnProvider,
): Promise<string> {
  const id = randomUUID();
  const sealed = sealCredentials(new SecretBox(settings.ENCRYPTION_KEYS!), id, credentials);
  await database.query(
    `insert into organization_providers (id, organization_id, name, type, weight, per_second, sealed_credentials)
     values ($1, $2, $1::uuid::text, $3, $4, $5, $6)`,
    [id, organizationId, type, weight ?? null, perSecond ?? null, sealed],
  );
  return id;
}

/** Changes the credentials of a provider, as PATCH /api/providers/:id does. */
export async function changeOwnProvider(
  { database, settings }: Service,
  id: string,
  credentials: object,
): Promise<void> {
  const sealed = sealCredentials(new SecretBox(settings.ENCRYPTION_KEYS!), id, credentials);
  await database.query(
    'update organization_providers set sealed_credentials = $2, version = version + 1 where id = $1',
    [id, sealed],
  );
}

/** Makes a domain count as verified, without DNS. */
export async function verifyWithoutDns(
  { database }: Pick<TestService, 'database'>,
  organizationId: string,
  domain: string,
) {
  await database.query(
    `insert into sending_domains (id, organization_id, domain, status, verified_at, created_at)
     values (gen_random_uuid(), $1, $2, 'verified', now(), now())`,
    [organizationId, domain],
  );
}
