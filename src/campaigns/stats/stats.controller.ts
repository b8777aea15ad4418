import { Controller, Get, Inject, Query, UseGuards } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { KeyGuard } from '../../organizations/api-key.guard.js';
import { CurrentCaller } from '../../organizations/current-caller.js';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { isWellFormed } from '../../platform/http/storable-text.js';
import { CampaignNotFoundError } from '../campaign-errors.js';
import { Campaigns } from '../campaigns.js';
import { readStats, type StatsView } from './read-stats.js';
import { statsDocs } from './stats-docs.js';
import { readStatsRange } from './stats-range.js';

@Controller('api/stats')
@UseGuards(KeyGuard)
export class StatsController {
  constructor(
    private readonly campaigns: Campaigns,
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @statsDocs.get
  async get(@CurrentCaller() caller: Caller, @Query() query: Record<string, unknown>): Promise<StatsView> {
    const range = readStatsRange(query, this.clock.now());
    const campaignId = await this.campaignOf(caller, query['campaignId']);
    const { organizationId } = caller;
    return this.database.inReadTurn(organizationId, () => readStats(this.database, organizationId, campaignId, range));
  }

  private async campaignOf({ organizationId }: Caller, nameOrId: unknown): Promise<string | undefined> {
    if (nameOrId === undefined) return undefined;
    if (typeof nameOrId !== 'string' || nameOrId.trim() === '' || !isWellFormed(nameOrId)) {
      throw new InvalidFieldError('campaignId', 'must be the name or ID of a campaign');
    }
    const id = await this.campaigns.idOf(organizationId, nameOrId.trim());
    if (id === undefined) throw new CampaignNotFoundError();
    return id;
  }
}
