import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../platform/clock/uuid-v7.js';
import { Database, type Sql } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { Plans } from '../organizations/plans.js';
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

/** Makes, finds and archives campaigns. Races are decided by the database. */
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
  async archive(organizationId: string, id: string): Promise<void> {
    if (!isUuid(id)) throw new CampaignNotFoundError();
    await this.database.transaction(async (sql) => {
      // Stronger than the key-share lock every accepted email takes: emails under way commit first, later ones see it.
      const [campaign] = await sql.query<CampaignRow>(
        'select id, archived_at from campaigns where organization_id = $1 and id = $2 for update',
        [organizationId, id],
      );
      if (!campaign) throw new CampaignNotFoundError();
      if (campaign.archived_at) throw new CampaignAlreadyArchivedError();
      await sql.query('update campaigns set archived_at = now() where id = $1', [id]);
    });
  }

  /**
   * The campaign an email belongs to, by name, then by id; an unknown name makes one.
   * @throws CampaignArchivedError, CampaignLimitError, InvalidFieldError
   */
  async findOrCreate(caller: Caller, nameOrId: string): Promise<string> {
    const name = readName('campaignId', nameOrId);
    for (;;) {
      const found = await this.find(caller.organizationId, name);
      if (found?.archived_at) throw new CampaignArchivedError();
      const campaign = found ?? (await this.insert(caller, name));
      // Undefined when another request made the name in between: it is there now.
      if (campaign) return campaign.id;
    }
  }

  /** By name, then by id; undefined when there is none. Archived ones are found too. */
  async idOf(organizationId: string, nameOrId: string): Promise<string | undefined> {
    return (await this.find(organizationId, nameOrId))?.id;
  }

  private async find(organizationId: string, nameOrId: string): Promise<CampaignRow | undefined> {
    const [row] = await this.database.prepared<CampaignRow>(
      'find-campaign',
      `select id, name, created_at, archived_at from campaigns
        where organization_id = $1 and (name = $2 or id = $3) order by name = $2 desc limit 1`,
      [organizationId, nameOrId, isUuid(nameOrId) ? nameOrId : null],
    );
    return row;
  }

  /** Undefined when the name is taken. Creates of one organization queue up, so its limit holds exactly. */
  private insert(caller: Caller, name: string): Promise<CampaignRow | undefined> {
    const now = this.clock.now();
    return this.database.transaction(async (sql) => {
      await sql.query('select id from organizations where id = $1 for no key update', [caller.organizationId]);
      const [taken] = await sql.query('select id from campaigns where organization_id = $1 and name = $2', [
        caller.organizationId,
        name,
      ]);
      if (taken) return undefined;
      await this.requireRoom(sql, caller);
      const [row] = await sql.query<CampaignRow>(
        `insert into campaigns (id, organization_id, name, created_at) values ($1, $2, $3, $4)
         returning id, name, created_at, archived_at`,
        [uuidV7(now), caller.organizationId, name, new Date(now)],
      );
      return row;
    });
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

function readName(field: string, text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_NAME)
    throw new InvalidFieldError(field, `must have 1 to ${MAX_NAME} characters`);
  return name;
}
