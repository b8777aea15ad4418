import { Injectable } from '@nestjs/common';
import { Database, type Sql } from '../platform/database/database.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { AuditLog, type Author } from './audit/record-audit.js';
import { IS_ACTIVE_KEY, requireCurrentRights } from './current-rights.js';
import { generateKey } from './key-format.js';
import type { KeyLimits } from './key-limits.js';
import type { KeyScope } from './key-scopes.js';
import { lockOrganization } from './lock-organization.js';

export interface KeyView {
  readonly id: string;
  readonly name: string | null;
  readonly scopes: readonly KeyScope[];
  readonly expiresAt: string | null;
  readonly allowedDomains: readonly string[] | null;
  readonly allowedAddresses: readonly string[] | null;
  /** `operator`, or `key:` or `user:` and the ID of a key or user. Null for keys made before creators were recorded. */
  readonly createdBy: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

export interface NewKey extends KeyLimits {
  readonly name: string | null;
}

export class KeyNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'API key not found');
  }
}

/** Every process queries each active key every few seconds, and a stolen key can create more. */
const MAX_ACTIVE_KEYS = 50;

class TooManyKeysError extends DomainError {
  constructor() {
    super('forbidden', `An organization can have ${MAX_ACTIVE_KEYS} API keys: revoke one first`);
  }
}

interface KeyViewRow {
  id: string;
  name: string | null;
  scopes: KeyScope[];
  expires_at: Date | null;
  allowed_domains: string[] | null;
  allowed_addresses: string[] | null;
  created_by: string | null;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

const COLUMNS = `id, name, scopes, expires_at, allowed_domains, allowed_addresses, created_by, created_at, last_used_at,
  revoked_at`;

/** $1 organization, $2 key. */
const REVOKE = `
with key as (
  select id, revoked_at from api_keys where organization_id = $1 and id = $2 for no key update
), revoked as (
  update api_keys set revoked_at = now() where id = (select id from key where revoked_at is null) returning id
)
select exists (select from revoked) as "isNew" from key`;

/** The API keys of organizations. */
@Injectable()
export class ApiKeys {
  constructor(private readonly database: Database) {}

  /**
   * Only this response contains the key's secret.
   * @throws TooManyKeysError, and as `requireCurrentRights`
   */
  async create(author: Author, wanted: NewKey): Promise<KeyView & { key: string }> {
    const { organizationId } = author;
    return this.database.transactionOf(organizationId, async (sql) => {
      await lockOrganization(sql, organizationId);
      await requireCurrentRights(sql, author);
      const [row] = await sql.query<{ active: number }>(
        `select count(*)::int as active from api_keys where organization_id = $1 and ${IS_ACTIVE_KEY}`,
        [organizationId],
      );
      if (row!.active >= MAX_ACTIVE_KEYS) throw new TooManyKeysError();
      return insertKey(sql, author, wanted);
    });
  }

  /** Lists active keys, newest first. */
  async listActive(organizationId: string, page: PageRequest): Promise<Page<KeyView>> {
    const rows = await this.database.query<KeyViewRow>(
      `select ${COLUMNS} from api_keys
        where organization_id = $1 and ${IS_ACTIVE_KEY}
          and ($2::timestamptz is null or (created_at, id) < ($2, $3::text))
        order by created_at desc, id desc limit $4`,
      [organizationId, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit + 1],
    );
    return toPage(rows, page.limit, toKeyView, (row) => [row.created_at.toISOString(), row.id]);
  }

  /** Lists all keys, including revoked and expired ones, newest first. */
  async listAll(organizationId: string): Promise<KeyView[]> {
    const rows = await this.database.query<KeyViewRow>(
      `select ${COLUMNS} from api_keys where organization_id = $1 order by created_at desc, id desc`,
      [organizationId],
    );
    return rows.map(toKeyView);
  }

  /** The key stops working everywhere within seconds. Revoking a key twice changes nothing. @throws KeyNotFoundError */
  async revoke(author: Author, keyId: string): Promise<void> {
    await this.database.transactionOf(author.organizationId, async (sql) => {
      const [key] = await sql.query<{ isNew: boolean }>(REVOKE, [author.organizationId, keyId]);
      if (!key) throw new KeyNotFoundError();
      if (!key.isNew) return;
      await AuditLog.record(sql, { ...author, action: 'key.revoked', target: { kind: 'key', id: keyId } });
    });
  }
}

export async function insertKey(
  sql: Sql,
  author: Author,
  { name, scopes, expiresAt, allowedDomains, allowedAddresses }: NewKey,
): Promise<KeyView & { key: string }> {
  const { id, key, secretHash } = generateKey();
  const [row] = await sql.query<KeyViewRow>(
    `insert into api_keys (id, organization_id, name, secret_hash, scopes, expires_at, allowed_domains,
                           allowed_addresses, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     returning ${COLUMNS}`,
    [
      id,
      author.organizationId,
      name,
      secretHash,
      scopes,
      expiresAt,
      allowedDomains,
      allowedAddresses,
      creatorOf(author),
    ],
  );
  await AuditLog.record(sql, { ...author, action: 'key.created', target: { kind: 'key', id }, details: { scopes } });
  return { ...toKeyView(row!), key };
}

function creatorOf({ actor }: Author): string {
  return actor.kind === 'operator' ? 'operator' : `${actor.kind}:${actor.id}`;
}

function toKeyView(row: KeyViewRow): KeyView {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    expiresAt: row.expires_at?.toISOString() ?? null,
    allowedDomains: row.allowed_domains,
    allowedAddresses: row.allowed_addresses,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
