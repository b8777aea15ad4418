import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { DomainError, InvalidFieldError } from '../platform/errors/domain-error.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { mintKey } from './key-format.js';
import { Plans } from './plans.js';

export interface OrganizationView {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly createdAt: string;
}

export interface KeyView {
  readonly id: string;
  readonly name: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

class OrganizationNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Organization not found');
  }
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

interface OrganizationRow {
  id: string;
  name: string;
  plan: string;
  created_at: Date;
}

interface KeyRow {
  id: string;
  name: string | null;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** @param id untrusted text. @throws OrganizationNotFoundError */
export async function requireOrganization(sql: Sql, id: string): Promise<void> {
  const [found] = isUuid(id) ? await sql.query('select id from organizations where id = $1', [id]) : [];
  if (!found) throw new OrganizationNotFoundError();
}

/** Organizations and their API keys. */
@Injectable()
export class Organizations {
  constructor(
    private readonly database: Database,
    private readonly plans: Plans,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Creates an organization with its first key. Only this response contains the key's secret. */
  async create(name: string, plan: string): Promise<{ id: string; name: string; plan: string; apiKey: string }> {
    const trimmed = name.trim();
    if (trimmed === '' || trimmed.length > 200) throw new InvalidFieldError('name', 'must have 1 to 200 characters');
    this.requirePlan(plan);
    const id = uuidV7(this.clock.now());
    return this.database.transaction(async (sql) => {
      await sql.query('insert into organizations (id, name, plan) values ($1, $2, $3)', [id, trimmed, plan]);
      return { id, name: trimmed, plan, apiKey: (await insertKey(sql, id, null)).key };
    });
  }

  async list(): Promise<OrganizationView[]> {
    const rows = await this.database.query<OrganizationRow>(
      'select id, name, plan, created_at from organizations order by id desc',
    );
    return rows.map((row) => ({ id: row.id, name: row.name, plan: row.plan, createdAt: row.created_at.toISOString() }));
  }

  async setPlan(organizationId: string, plan: string): Promise<void> {
    this.requirePlan(plan);
    await requireOrganization(this.database, organizationId);
    await this.database.query('update organizations set plan = $2 where id = $1', [organizationId, plan]);
  }

  /** @throws OrganizationNotFoundError, TooManyKeysError */
  async createKey(organizationId: string, name: string | null): Promise<KeyView & { key: string }> {
    await requireOrganization(this.database, organizationId);
    return this.database.transaction(async (sql) => {
      // Serializes concurrent requests, so that they cannot exceed the limit together.
      await sql.query('select from organizations where id = $1 for no key update', [organizationId]);
      const [row] = await sql.query<{ active: number }>(
        'select count(*)::int as active from api_keys where organization_id = $1 and revoked_at is null',
        [organizationId],
      );
      if (row!.active >= MAX_ACTIVE_KEYS) throw new TooManyKeysError();
      return insertKey(sql, organizationId, name);
    });
  }

  /** Lists active keys, newest first. */
  async listActiveKeys(organizationId: string, page: PageRequest): Promise<Page<KeyView>> {
    const rows = await this.database.query<KeyRow>(
      `select id, name, created_at, last_used_at, revoked_at from api_keys
        where organization_id = $1 and revoked_at is null
          and ($2::timestamptz is null or (created_at, id) < ($2, $3::text))
        order by created_at desc, id desc limit $4`,
      [organizationId, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit + 1],
    );
    return toPage(rows, page.limit, toKeyView, (row) => [row.created_at.toISOString(), row.id]);
  }

  /** Lists all keys, including revoked ones, newest first. */
  async listKeys(organizationId: string): Promise<KeyView[]> {
    await requireOrganization(this.database, organizationId);
    const rows = await this.database.query<KeyRow>(
      `select id, name, created_at, last_used_at, revoked_at from api_keys
        where organization_id = $1 order by created_at desc, id desc`,
      [organizationId],
    );
    return rows.map(toKeyView);
  }

  /** The key stops working everywhere within seconds. Revoking a key twice changes nothing. */
  async revokeKey(organizationId: string, keyId: string): Promise<void> {
    await requireOrganization(this.database, organizationId);
    const revoked = await this.database.query(
      `update api_keys set revoked_at = coalesce(revoked_at, now())
        where id = $2 and organization_id = $1 returning id`,
      [organizationId, keyId],
    );
    if (revoked.length === 0) throw new KeyNotFoundError();
  }

  private requirePlan(plan: string): void {
    if (!this.plans.has(plan)) throw new InvalidFieldError('plan', `must be one of ${this.plans.names.join(', ')}`);
  }
}

async function insertKey(sql: Sql, organizationId: string, name: string | null): Promise<KeyView & { key: string }> {
  const { id, key, secretHash } = mintKey();
  const [row] = await sql.query<KeyRow>(
    `insert into api_keys (id, organization_id, name, secret_hash) values ($1, $2, $3, $4)
     returning id, name, created_at, last_used_at, revoked_at`,
    [id, organizationId, name, secretHash],
  );
  return { ...toKeyView(row!), key };
}

function toKeyView(row: KeyRow): KeyView {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
