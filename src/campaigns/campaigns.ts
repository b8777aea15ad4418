import { Inject, Injectable } from '@nestjs/common';
import { maxLength } from 'class-validator';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { AuditLog, authorOf, type Author } from '../organizations/audit/record-audit.js';
import { Plans } from '../organizations/plans.js';
import { lockOrganization } from '../organizations/lock-organization.js';
import {
  CampaignAlreadyArchivedError,
  CampaignArchivedError,
  CampaignExistsError,
  CampaignLimitError,
  CampaignNotFoundError,
} from './campaign-errors.js';

export interface CampaignView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

export interface CampaignRow {
  id: string;
  name: string;
  created_at: Date;
  archived_at: Date | null;
}

const MAX_NAME = 200;

/** Creates, finds and archives campaigns. The database resolves races. */
@Injectable()
export class Campaigns {
  constructor(
    private readonly database: Database,
    private readonly plans: Plans,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws CampaignExistsError, CampaignLimitError, InvalidFieldError */
  async create(caller: Caller, name: string): Promise<CampaignView> {
    const campaign = await this.insert(caller, readName('name', name));
    if (!campaign) throw new CampaignExistsError();
    return toCampaignView(campaign);
  }

  /** @throws CampaignNotFoundError, CampaignAlreadyArchivedError */
  async archive(author: Author, id: string): Promise<void> {
    if (!isUuid(id)) throw new CampaignNotFoundError();
    await this.database.transactionOf(author.organizationId, async (sql) => {
      // Conflicts with the key-share lock of every accepted email: earlier emails commit first, later ones see the
      // archive.
      const [campaign] = await sql.query<CampaignRow>(
        'select id, archived_at from campaigns where organization_id = $1 and id = $2 for update',
        [author.organizationId, id],
      );
      if (!campaign) throw new CampaignNotFoundError();
      if (campaign.archived_at) throw new CampaignAlreadyArchivedError();
      await sql.query('update campaigns set archived_at = now() where id = $1', [id]);
      await AuditLog.record(sql, { ...author, action: 'campaign.archived', target: { kind: 'campaign', id } });
    });
  }

  /**
   * Returns the ID of an email's campaign, found by name, then by ID. Creates a campaign for an unknown name.
   * @param beforeCreation prevents the creation if it throws
   * @throws CampaignArchivedError, CampaignLimitError, InvalidFieldError
   */
  async findOrCreate(
    caller: Caller,
    nameOrId: string,
    beforeCreation: () => Promise<void> = () => Promise.resolve(),
  ): Promise<string> {
    for (;;) {
      const found = await this.findOpen(caller.organizationId, nameOrId);
      if (found !== undefined) return found;
      await beforeCreation();
      const campaign = await this.insert(caller, readName('campaignId', nameOrId));
      // Undefined when another request created the name at the same time. The next iteration finds it.
      if (campaign) return campaign.id;
    }
  }

  /** The same in a transaction, so that its failure leaves no campaign. Locks the organization for an unknown name. */
  async findOrCreateWithin(sql: Sql, caller: Caller, nameOrId: string): Promise<string> {
    for (;;) {
      const found = await this.findOpen(caller.organizationId, nameOrId, sql);
      if (found !== undefined) return found;
      const campaign = await this.insertWithin(sql, caller, readName('campaignId', nameOrId));
      if (campaign) return campaign.id;
    }
  }

  /**
   * Throws what `findOrCreate` would throw now, and creates nothing.
   * @returns the ID of the campaign; undefined when there is none yet
   * @throws CampaignArchivedError, CampaignLimitError, InvalidFieldError
   */
  async findUsable(caller: Caller, nameOrId: string): Promise<string | undefined> {
    const found = await this.findOpen(caller.organizationId, nameOrId);
    if (found === undefined) await this.requireRoom(this.database, caller);
    return found;
  }

  /**
   * Returns the ID of an email's campaign, found by name, then by ID. Undefined when there is none yet.
   * @throws CampaignArchivedError, InvalidFieldError
   */
  private async findOpen(
    organizationId: string,
    nameOrId: string,
    sql: Sql = this.database,
  ): Promise<string | undefined> {
    const found = await this.find(organizationId, readName('campaignId', nameOrId), sql);
    if (found?.archived_at) throw new CampaignArchivedError();
    return found?.id;
  }

  /** Finds a campaign by name, then by ID, including archived ones. Undefined when there is none. */
  async idOf(organizationId: string, nameOrId: string): Promise<string | undefined> {
    return (await this.find(organizationId, nameOrId))?.id;
  }

  private async find(
    organizationId: string,
    nameOrId: string,
    sql: Sql = this.database,
  ): Promise<CampaignRow | undefined> {
    const [row] = await sql.prepared<CampaignRow>(
      'find-campaign',
      `select id, name, created_at, archived_at from campaigns
        where organization_id = $1 and (name = $2 or id = $3) order by name = $2 desc limit 1`,
      [organizationId, nameOrId, isUuid(nameOrId) ? nameOrId : null],
    );
    return row;
  }

  /** Undefined when the name is taken. */
  private insert(caller: Caller, name: string): Promise<CampaignRow | undefined> {
    return this.database.transactionOf(caller.organizationId, (sql) => this.insertWithin(sql, caller, name));
  }

  private async insertWithin(sql: Sql, caller: Caller, name: string): Promise<CampaignRow | undefined> {
    const now = this.clock.now();
    const id = uuidV7(now);
    await lockOrganization(sql, caller.organizationId);
    const [taken] = await sql.query('select id from campaigns where organization_id = $1 and name = $2', [
      caller.organizationId,
      name,
    ]);
    if (taken) return undefined;
    await this.requireRoom(sql, caller);
    const [row] = await sql.query<CampaignRow>(
      `insert into campaigns (id, organization_id, name, created_at) values ($1, $2, $3, $4)
       returning id, name, created_at, archived_at`,
      [id, caller.organizationId, name, new Date(now)],
    );
    await AuditLog.record(sql, { ...authorOf(caller), action: 'campaign.created', target: { kind: 'campaign', id } });
    return row;
  }

  private async requireRoom(sql: Sql, caller: Caller): Promise<void> {
    const limit = this.plans.activeCampaignLimit(caller.plan);
    if (limit === undefined) return;
    const [count] = await sql.query<{ active: string }>(
      'select count(*) as active from campaigns where organization_id = $1 and archived_at is null',
      [caller.organizationId],
    );
    if (Number(count?.active) >= limit) throw new CampaignLimitError(caller.plan, limit);
  }
}

export function toCampaignView(row: CampaignRow): CampaignView {
  return { id: row.id, name: row.name, createdAt: row.created_at.toISOString() };
}

/** Counts characters as the name of a broadcast does, because a broadcast can give its name to a campaign. */
function readName(field: string, text: string): string {
  const name = text.trim();
  if (name === '' || !maxLength(name, MAX_NAME))
    throw new InvalidFieldError(field, `must have 1 to ${MAX_NAME} characters`);
  return name;
}
