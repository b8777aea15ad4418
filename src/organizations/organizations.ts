import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { DomainError, InvalidFieldError } from '../platform/errors/domain-error.js';
import { insertKey } from './api-keys.js';
import { AuditLog, operatorOf } from './audit/record-audit.js';
import { NO_LIMITS } from './key-limits.js';
import { FORGET_WARNINGS } from './budgets/budget-statements.js';
import { lockOrganization } from './lock-organization.js';
import { Plans } from './plans.js';

export interface OrganizationView {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly createdAt: string;
}

export class OrganizationNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Organization not found');
  }
}

interface OrganizationRow {
  id: string;
  name: string;
  plan: string;
  created_at: Date;
}

/** @param id untrusted text. @throws OrganizationNotFoundError */
export async function requireOrganization(sql: Sql, id: string): Promise<void> {
  const [found] = isUuid(id)
    ? await sql.query('select id from organizations where id = $1 and deleted_at is null', [id])
    : [];
  if (!found) throw new OrganizationNotFoundError();
}

/**
 * As `lockOrganization`, for an organization that may be unknown or deleted.
 * @param id untrusted text
 * @throws OrganizationNotFoundError
 */
export async function lockKnownOrganization(sql: Sql, id: string): Promise<void> {
  if (isUuid(id)) await lockOrganization(sql, id);
  // A statement of its own: it reads the row as the transaction has left it for which the first one waited.
  await requireOrganization(sql, id);
}

/** Organizations and their plans. */
@Injectable()
export class Organizations {
  constructor(
    private readonly database: Database,
    private readonly plans: Plans,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** For operators. Creates an organization with its first key. Only this response contains the key's secret. */
  async create(name: string, plan: string): Promise<{ id: string; name: string; plan: string; apiKey: string }> {
    const trimmed = name.trim();
    if (trimmed === '' || trimmed.length > 200) throw new InvalidFieldError('name', 'must have 1 to 200 characters');
    this.requirePlan(plan);
    const id = uuidV7(this.clock.now());
    return this.database.transaction(async (sql) => {
      await sql.query('insert into organizations (id, name, plan) values ($1, $2, $3)', [id, trimmed, plan]);
      const author = operatorOf(id);
      const target = { kind: 'organization', id } as const;
      await AuditLog.record(sql, { ...author, action: 'organization.created', target, details: { plan } });
      return {
        id,
        name: trimmed,
        plan,
        apiKey: (await insertKey(sql, author, { ...NO_LIMITS, name: null })).key,
      };
    });
  }

  async list(): Promise<OrganizationView[]> {
    const rows = await this.database.query<OrganizationRow>(
      'select id, name, plan, created_at from organizations where deleted_at is null order by id desc',
    );
    return rows.map((row) => ({ id: row.id, name: row.name, plan: row.plan, createdAt: row.created_at.toISOString() }));
  }

  /** For operators. @throws OrganizationNotFoundError, InvalidFieldError */
  async setPlan(organizationId: string, plan: string): Promise<void> {
    this.requirePlan(plan);
    await requireOrganization(this.database, organizationId);
    await this.database.transaction(async (sql) => {
      await sql.query('update organizations set plan = $2 where id = $1', [organizationId, plan]);
      await sql.query(FORGET_WARNINGS, [organizationId]);
      const target = { kind: 'organization', id: organizationId } as const;
      const details = { plan };
      await AuditLog.record(sql, {
        ...operatorOf(organizationId),
        action: 'organization.plan-changed',
        target,
        details,
      });
    });
  }

  private requirePlan(plan: string): void {
    if (!this.plans.has(plan)) throw new InvalidFieldError('plan', `must be one of ${this.plans.names.join(', ')}`);
  }
}
