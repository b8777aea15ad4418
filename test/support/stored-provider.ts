import { sealCredentials, sealEventKey } from '../../src/organizations/providers/provider-secrets.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import type { ProviderType } from '../../src/platform/config/provider-credentials.js';
import { SecretBox } from '../../src/platform/encryption/secret-box.js';
import type { TestService } from './service.js';

type Service = Pick<TestService, 'database' | 'settings'>;

const boxOf = ({ ENCRYPTION_KEYS }: Service['settings']) => new SecretBox(ENCRYPTION_KEYS!);

interface OwnProvider {
  readonly type?: ProviderType;
  readonly credentials: object;
  readonly weight?: number;
  readonly perSecond?: number;
  readonly eventKey?: string;
  /** Seals the secrets; by default with the keys of the service. */
  readonly box?: SecretBox;
}

/** Stores a provider of an organization without the checks of the API. @returns its ID */
export async function addOwnProvider(
  { database, settings }: Service,
  organizationId: string,
  { type = 'smtp', credentials, weight, perSecond, eventKey, box = boxOf(settings) }: OwnProvider,
): Promise<string> {
  const id = uuidV7(Date.now());
  await database.query(
    `insert into organization_providers (id, organization_id, name, type, weight, per_second, sealed_credentials, sealed_event_key)
     values ($1, $2, $1::uuid::text, $3, $4, $5, $6, $7)`,
    [
      ...[id, organizationId, type, weight ?? null, perSecond ?? null, sealCredentials(box, id, credentials)],
      eventKey === undefined ? null : sealEventKey(box, id, eventKey),
    ],
  );
  return id;
}

/** Changes the credentials of a provider, as PATCH /api/providers/:id does. */
export async function changeOwnProvider(
  { database, settings }: Service,
  id: string,
  credentials: object,
): Promise<void> {
  const sealed = sealCredentials(boxOf(settings), id, credentials);
  await database.query(
    'update organization_providers set sealed_credentials = $2, version = version + 1, changed_at = now() where id = $1',
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
