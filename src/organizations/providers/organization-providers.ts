import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../../platform/clock/uuid-v7.js';
import type { ProviderType } from '../../platform/config/provider-credentials.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { isUniqueViolation } from '../../platform/database/unique-violation.js';
import { SecretBox } from '../../platform/encryption/secret-box.js';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import type { PageRequest } from '../../platform/http/paging.js';
import type { Author } from '../audit/record-audit.js';
import { lockOrganization } from '../lock-organization.js';
import { CredentialsCheck } from './credentials-check.js';
import { eventKeyExpectation, readEventKey, takesEventKey } from './event-key.js';
import { ProviderLimitError, ProviderNameTakenError, ProviderNotFoundError } from './provider-errors.js';
import { sealCredentials, sealEventKey } from './provider-secrets.js';
import { ORGANIZATION_PROVIDER_COLUMNS, type OrganizationProviderRow } from './provider-view.js';
import { recordProvider } from './record-provider.js';

/** An email may be tried with each of them, and workers keep the connections of each. */
export const MAX_PROVIDERS = 10;

interface NewProvider {
  readonly name: string;
  readonly type: ProviderType;
  readonly credentials: object;
  readonly weight?: number;
  readonly perSecond?: number;
  readonly eventKey?: string;
}

/** Undefined: unchanged. Null: removed. */
export interface ProviderChanges {
  readonly name?: string;
  readonly credentials?: object;
  readonly weight?: number | null;
  readonly perSecond?: number | null;
  readonly eventKey?: string | null;
}

/** The providers that an organization uses instead of those of the service. */
@Injectable()
export class OrganizationProviders {
  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
    private readonly credentials: CredentialsCheck,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws InvalidFieldError, ProviderNameTakenError, ProviderLimitError */
  async create(author: Author, provider: NewProvider): Promise<OrganizationProviderRow> {
    const { organizationId } = author;
    const { name, type, weight, perSecond, eventKey } = provider;
    if (eventKey !== undefined) requireEventKey(type, eventKey);
    const credentials = this.credentials.check(type, provider.credentials);
    const id = uuidV7(this.clock.now());
    const insert = this.database.transactionOf(organizationId, async (sql) => {
      await requireRoom(sql, organizationId, name);
      const [row] = await sql.query<OrganizationProviderRow>(
        `insert into organization_providers
           (id, organization_id, name, type, sealed_credentials, weight, per_second, sealed_event_key)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         returning ${ORGANIZATION_PROVIDER_COLUMNS}`,
        [
          ...[id, organizationId, name, type, sealCredentials(this.box, id, credentials)],
          ...[weight ?? null, perSecond ?? null],
          eventKey === undefined ? null : sealEventKey(this.box, id, eventKey),
        ],
      );
      await recordProvider(sql, author, 'provider.added', id);
      return row!;
    });
    // Another provider may get the name after the check.
    return insert.catch(refuseTakenName);
  }

  /** Newest first, with one row more than the page has. */
  list(organizationId: string, { after, limit }: PageRequest): Promise<OrganizationProviderRow[]> {
    return this.database.query<OrganizationProviderRow>(
      `select ${ORGANIZATION_PROVIDER_COLUMNS} from organization_providers
        where organization_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
      [organizationId, after?.[0] ?? null, limit + 1],
    );
  }

  /** @throws ProviderNotFoundError */
  async get(organizationId: string, id: string): Promise<OrganizationProviderRow> {
    if (!isUuid(id)) throw new ProviderNotFoundError();
    const [row] = await this.database.query<OrganizationProviderRow>(
      `select ${ORGANIZATION_PROVIDER_COLUMNS} from organization_providers where organization_id = $1 and id = $2`,
      [organizationId, id],
    );
    if (!row) throw new ProviderNotFoundError();
    return row;
  }

  /**
   * Raises the version, so that workers use the change within seconds and end a pause.
   * @throws ProviderNotFoundError, InvalidFieldError, ProviderNameTakenError
   */
  async change(author: Author, id: string, changes: ProviderChanges): Promise<OrganizationProviderRow> {
    const { id: rowId, type } = await this.get(author.organizationId, id);
    const { name, weight, perSecond, eventKey } = changes;
    if (typeof eventKey === 'string') requireEventKey(type, eventKey);
    const credentials = changes.credentials && this.credentials.check(type, changes.credentials);
    return this.update(author, rowId, changedProviderFields(changes), [
      ...[name ?? null, credentials ? sealCredentials(this.box, rowId, credentials) : null],
      ...[weight !== undefined, weight ?? null, perSecond !== undefined, perSecond ?? null],
      ...[eventKey !== undefined, typeof eventKey === 'string' ? sealEventKey(this.box, rowId, eventKey) : null],
    ]);
  }

  private async update(
    author: Author,
    id: string,
    fields: readonly string[],
    values: readonly unknown[],
  ): Promise<OrganizationProviderRow> {
    const { organizationId } = author;
    const change = this.database.transactionOf(organizationId, async (sql) => {
      const [row] = await sql.query<OrganizationProviderRow>(CHANGE, [organizationId, id, ...values]);
      if (!row) throw new ProviderNotFoundError();
      await recordProvider(sql, author, 'provider.changed', id, { fields });
      return row;
    });
    return change.catch(refuseTakenName);
  }

  /** @throws ProviderNotFoundError */
  async remove(author: Author, id: string): Promise<void> {
    if (!isUuid(id)) throw new ProviderNotFoundError();
    await this.database.transactionOf(author.organizationId, async (sql) => {
      const [row] = await sql.query<{ id: string }>(
        'delete from organization_providers where organization_id = $1 and id = $2 returning id',
        [author.organizationId, id],
      );
      if (!row) throw new ProviderNotFoundError();
      await recordProvider(sql, author, 'provider.deleted', row.id);
    });
  }
}

/**
 * $1 organization, $2 provider, $3 name, $4 credentials; then whether and to what: $5 weight, $7 rate, $9 event key.
 */
const CHANGE = `
update organization_providers
   set name = coalesce($3, name),
       sealed_credentials = coalesce($4, sealed_credentials),
       weight = case when $5::boolean then $6::integer else weight end,
       per_second = case when $7::boolean then $8::float8 else per_second end,
       sealed_event_key = case when $9::boolean then $10::text else sealed_event_key end,
       version = version + 1,
       changed_at = now()
 where organization_id = $1 and id = $2
returning ${ORGANIZATION_PROVIDER_COLUMNS}`;

async function requireRoom(sql: Sql, organizationId: string, name: string): Promise<void> {
  await lockOrganization(sql, organizationId);
  const [row] = await sql.query<{ count: number; taken: boolean | null }>(
    'select count(*)::int as count, bool_or(name = $2) as taken from organization_providers where organization_id = $1',
    [organizationId, name],
  );
  if (row!.taken) throw new ProviderNameTakenError();
  if (row!.count >= MAX_PROVIDERS) throw new ProviderLimitError(MAX_PROVIDERS);
}

function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error) ? new ProviderNameTakenError() : error;
}

function requireEventKey(type: ProviderType, text: string): void {
  if (!takesEventKey(type)) throw new InvalidFieldError('eventKey', `is not for providers of the type ${type}`);
  if (readEventKey(type, text) === undefined)
    throw new InvalidFieldError('eventKey', `must be ${eventKeyExpectation(type)}`);
}

/** The names of what changes. */
export function changedProviderFields(changes: ProviderChanges): string[] {
  return Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
}
